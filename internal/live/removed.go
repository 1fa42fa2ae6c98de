package live

import (
	"fmt"
	"strings"
)

// removedText is the last word on a run that was not kept.
func removedText(sum *Summary) string {
	return "vigil: nothing was captured, and no run is kept: no process was seen to import PyTorch or XGBoost\n" +
		fmt.Sprintf("  next      %s doctor -- %s\n", Program(), clean(strings.Join(sum.Run.Command, " ")))
}
