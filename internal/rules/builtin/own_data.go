package builtin

import (
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// ownData notices a learner that makes its data itself, as one that learns from what it
// tried: before most updates it is asked for single samples without gradients, while it
// trains on batches. The level of its loss says little, since what it is compared with
// changes as it learns.
type ownData struct {
	Asked  bool  `json:"asked,omitempty"`  // single samples, in training mode
	Seen   int64 `json:"seen,omitempty"`   // updates
	After  int64 `json:"after,omitempty"`  // those of them that came after such a question
	Others int64 `json:"others,omitempty"` // steps that were no updates, so far
}

const (
	ownUpdates = 20  // that are needed to tell
	ownShare   = 0.5 // of them after a question
)

// whyOwnData is said of a loss that is not judged for it.
const whyOwnData = "the training makes its own data (the model is called on single samples between updates), so the level of its loss says little"

func (o *ownData) facts(f *rule.Facts) {
	o.Asked = false
	e, in := f.Evaluation, f.Inputs
	if e == nil || !e.RootTraining || e.Input == nil || e.Purpose != "" || in == nil || len(in.Tensors) == 0 {
		return
	}
	asked, batch := e.Input.Shape, in.Tensors[0].Shape
	switch {
	case len(batch) < 2 || in.Distinct < 2 || in.PartOfMore:
	case len(asked) == len(batch):
		o.Asked = 2*asked[0] <= batch[0] && slices.Equal(asked[1:], batch[1:])
	default:
		o.Asked = slices.Equal(asked, batch[1:])
	}
}

func (o *ownData) step(v *rule.View) {
	if others := v.Step - v.ModeStep; v.Mode == rule.Train {
		o.Seen++
		if others > o.Others {
			o.After++
		}
		o.Others = others
	}
}

func (o *ownData) made() bool {
	return o.Asked && o.Seen >= ownUpdates && float64(o.After) >= ownShare*float64(o.Seen)
}
