package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// endIgnored finds a loss that leaves out the end of sequences where it was to leave
// out what fills them up: nobody learns where to end, and padding is learnt.
func endIgnored(v *lossView, l *record.LabelFacts) []rule.Violation {
	e := l.Ends
	if e == nil || v.facts.Loss != nil && v.facts.Loss.Reduction == "none" { // padding may be left out afterwards
		return nil
	}
	text := fmt.Sprintf("%s ignores label %d, which occurs once at the end of each of %s sequences, but counts label %d, the padding after it (%s times): the model never learns to stop, and learns to predict padding.",
		v.subject(), e.Token, num(float64(e.Rows)), e.Filler, num(float64(e.After)))
	out := v.labels("end_of_sequence_ignored", text, fmt.Sprintf("set ignore_index=%d, the padding label", e.Filler), rule.Warning)
	out.CauseClass, out.Cause = "loss", "ignore_index is the end-of-sequence label instead of the padding label"
	out.Observed, out.Threshold, out.Comparator = float64(e.Rows), 0, ">"
	return []rule.Violation{out}
}
