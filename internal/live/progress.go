package live

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// place says where the training is: its update, the epoch, and that it
// evaluates where it does, and how long it or its epoch goes on. A framework
// that knows no modes counts steps. within: the place in the epoch is named.
func (p *Progress) place(within bool) []string {
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
	if p.Left > 0 {
		text += ", " + record.Seconds(p.Left) + " left"
	}
	parts := []string{text}
	if p.Epoch > 0 {
		epoch := "epoch " + count(p.Epoch)
		if p.EpochSteps > 0 && within {
			epoch += fmt.Sprintf(", %s of %s", count(p.EpochStep), count(p.EpochSteps))
			if p.EpochLeft > 0 && p.Left == 0 {
				epoch += ", " + record.Seconds(p.EpochLeft) + " left"
			}
		}
		parts = append(parts, epoch)
	}
	return parts
}

func modeWord(mode string) string {
	return map[string]string{record.Eval.String(): "evaluation", record.Predict.String(): "prediction"}[strings.ToUpper(mode)]
}
