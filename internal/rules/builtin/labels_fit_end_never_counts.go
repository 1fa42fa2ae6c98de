package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	endRows   = 16  // padded sequences that have to be seen
	endShare  = 0.5 // of them that end with the token; others are cut off
	endLabels = 64  // that count
)

// endUnlabelled finds a token that ends sequences and fills them up: what is left out of the
// loss as padding takes the end with it, so that nobody learns where to end.
func endUnlabelled(v *lossView, l *record.LabelFacts) []rule.Violation {
	e := l.UnlabelledEnd
	if e == nil || e.Rows < endRows || float64(e.Ended) < endShare*float64(e.Rows) || e.Labels < endLabels || e.Counted > 0 {
		return nil
	}
	text := fmt.Sprintf("%s of %s padded sequences end with token %d, which is also their padding; %s ignores it everywhere, so the model never learns to stop.",
		num(float64(e.Ended)), num(float64(e.Rows)), e.Token, v.subject())
	out := v.labels("end_of_sequence_never_counts", text, "use a padding token that is not the end-of-sequence token, or mask labels by the attention mask and not by the token", rule.Warning)
	out.CauseClass, out.Cause = "loss", "the padding token is the end-of-sequence token, and padding is left out of the loss"
	out.Observed, out.Threshold, out.Comparator = float64(e.Ended), endShare*float64(e.Rows), ">="
	return []rule.Violation{out}
}
