package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// A few labels may stand for what the alphabet does not have, and be given the
// blank on purpose: leastBlanks labels and a share of blankShare are a label of
// its own.
const (
	leastBlanks = 4
	blankShare  = 0.01
)

// blankNamed finds labels of ctc_loss that are its blank. What the model says with
// the blank is left out when its output is read, so that label never comes back.
func blankNamed(v *lossView, l *record.LabelFacts) []rule.Violation {
	b := l.Blanks
	if b == nil || b.Named < leastBlanks || b.Pairs == 0 || float64(b.Named) < blankShare*float64(b.Labels) {
		return nil
	}
	text := fmt.Sprintf("%s of the %s labels that ctc_loss got in the first steps are %s, which is its blank index: decoding drops it, so this label is never predicted.",
		num(float64(b.Named)), num(float64(b.Labels)), num(float64(b.Index)))
	remedy := fmt.Sprintf("give the blank its own index: number labels from 1 and keep 0 for the blank, or set blank to the number of labels; the last layer needs one more output than there are labels (now blank=%s)", num(float64(b.Index)))
	out := v.labels("ctc_blank", text, remedy, rule.Error)
	out.Cause = "a label with the index of ctc_loss's blank"
	out.Observed, out.Threshold, out.Comparator = float64(b.Named), 0, ">"
	return []rule.Violation{out}
}
