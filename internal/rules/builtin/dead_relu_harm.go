package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// reluHarm reports what dead units do to a training, and whether its learning rate
// threw them there. It is nil where neither is asked for.
type reluHarm struct {
	learnt, large float64

	Curve  lossCurve    `json:"curve"`
	Kind   lossKind     `json:"kind"`
	Motion weightMotion `json:"motion"`
}

func newReluHarm(p rule.Params) *reluHarm {
	h := &reluHarm{learnt: p.Float("learnt"), large: p.Float("large_update"), Motion: newWeightMotion()}
	if h.learnt == 0 && h.large == 0 {
		return nil
	}
	return h
}

func reluHarmNeeds(p rule.Params) []rule.Need {
	var needs []rule.Need
	if p.Float("learnt") > 0 {
		needs = append(needs, rule.Need{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats})
	}
	if p.Float("large_update") > 0 {
		needs = append(needs, motionNeeds()...)
	}
	return needs
}

func (h *reluHarm) step(v *rule.View) {
	if h == nil || !training(v.Mode) {
		return
	}
	h.Curve.step(v.ModeStep, v.Scalars(1))
	h.Motion.weights(v, v.Tensors(2))
}

const (
	fallsTo  = 0.8  // share of the first loss that is left at most, while
	fallsBy  = 0.95 // it is below what it was some 25 steps before, by this factor
	fallenTo = 0.6  // share that is left at the end, where it fell when the units were found
)

// none reports whether the training learns well without the units: its loss has
// come down to the share that is asked for of where it began.
func (h *reluHarm) none() bool { return h != nil && h.below(h.learnt) }

// below reports whether at most this share is left of the loss with which the training began.
func (h *reluHarm) below(share float64) bool {
	if h == nil || h.learnt == 0 || !h.Curve.usable() || h.Curve.N < highSteps || h.Kind.Optimisers > 1 {
		return false
	}
	start := h.Curve.begin()
	if h.Kind.Certain && h.Kind.classifies() && !h.Kind.summed() {
		start = min(start, h.Kind.Uniform)
	}
	return median(h.Curve.tail(highSteps)) <= share*start
}

// falls reports whether the loss is coming down: what is learnt without the units shows later.
func (h *reluHarm) falls() bool {
	if !h.below(fallsTo) || h.Curve.N < highWait {
		return false
	}
	last := h.Curve.tail(highWait)
	return median(last[len(last)-highSteps:]) <= fallsBy*median(last[:len(last)/2])
}

// manySteps is how many large updates in a row in one direction move the weights as
// far as they may get in plateauEvery steps.
const manySteps = 10

// thrown gives the evidence that updates which were too large killed units that
// were first seen dead at a step: a single one, or what became of the weights
// around that step. It is "" without it.
func (h *reluHarm) thrown(since int64) string {
	if h == nil || h.large == 0 {
		return ""
	}
	var one, many weightUpdate
	for _, u := range h.Motion.Updates {
		if u.Step <= since && u.Ratio > one.Ratio {
			one = u
		}
	}
	for _, u := range h.Motion.Spans {
		if u.Step <= since+plateauEvery && u.Ratio > many.Ratio {
			many = u
		}
	}
	switch {
	case one.Ratio >= h.large:
		return fmt.Sprintf("the update at step %d changed the weights by %s %% of their size", one.Step, num(math.Round(100*one.Ratio)))
	case many.Ratio >= manySteps*h.large:
		return fmt.Sprintf("in the %d steps up to step %d the weights changed by %s %% of their size", plateauEvery, many.Step, num(math.Round(100*many.Ratio)))
	}
	return ""
}
