package live

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// place says where the training is: its update, the epoch, and that it
// evaluates where it does. A framework that knows no modes counts steps.
func (p *Progress) place() []string {
	if p.Update == nil { // no update yet, or none to come
		switch p.Mode {
		case record.Eval.String(), record.Predict.String():
			return []string{modeWord(p.Mode) + " step " + count(p.ModeStep)}
		}
		return []string{"step " + count(p.Step)}
	}
	text := "step " + count(*p.Update)
	if p.Total > 0 {
		text += " of " + count(p.Total)
	}
	switch p.Mode {
	case record.Eval.String(), record.Predict.String():
		text += ", " + modeWord(p.Mode)
	}
	parts := []string{text}
	switch {
	case p.Epoch > 0 && p.EpochSteps > 0:
		parts = append(parts, fmt.Sprintf("epoch %s, %s of %s", count(p.Epoch), count(p.EpochStep), count(p.EpochSteps)))
	case p.Epoch > 0:
		parts = append(parts, "epoch "+count(p.Epoch))
	}
	return parts
}

func modeWord(mode string) string {
	return map[string]string{record.Eval.String(): "evaluation", record.Predict.String(): "prediction"}[strings.ToUpper(mode)]
}
