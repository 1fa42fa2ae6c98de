package live

import (
	"fmt"
	"strings"
)

// removed is the last word on a run that was not kept.
func (p Page) removed(sum *Summary) string {
	return p.Hang(ours, "nothing was captured, and no run is kept: no process was seen to import PyTorch or XGBoost") + "\n" +
		p.Item("next", fmt.Sprintf("%s doctor -- %s", Program(), clean(strings.Join(sum.Run.Command, " ")))) + "\n"
}
