package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// shrunkTo is the share of its first size that the weight matrix which kept most
// has left, at most.
const shrunkTo = 0.05

// drawnBy names what draws weights to 0; "" where nothing is known that does.
func drawnBy(f *rule.Facts) string {
	if f.Graph != nil && f.Graph.Penalty != nil && f.Graph.Penalty.Factor > 0 {
		return fmt.Sprintf("the weight penalty in the loss (factor %s)", num(float64(f.Graph.Penalty.Factor)))
	}
	for _, o := range f.Optimisers {
		for _, g := range o.Groups {
			if g.WeightDecay != nil && *g.WeightDecay > 0 {
				return fmt.Sprintf("the weight decay %s of %s", num(*g.WeightDecay), o.Class)
			}
		}
	}
	return ""
}

const (
	strongAdded     = 0.02 // weight decay that is added to gradients: hundreds of times the usual one
	strongDecoupled = 1.0  // one that is not: no weight gets beyond its inverse
	heldTo          = 0.5  // share of their first size that weight matrices have left, the median, where a decay holds them
	heldLevel       = 0.5  // share of a guess's loss that is left then, at least
	heldSteps       = 200
)

// strongDecay names a weight decay far stronger than usual on a good part of
// the parameters; "" where there is none.
func strongDecay(f *rule.Facts) string {
	if len(f.Optimisers) != 1 {
		return ""
	}
	o, all := &f.Optimisers[0], int64(0)
	for _, g := range o.Groups {
		all += g.Parameters
	}
	for _, g := range o.Groups {
		if g.WeightDecay == nil || 4*g.Parameters < all {
			continue
		}
		strong := strongAdded
		switch o.Class {
		case "AdamW":
			strong = strongDecoupled
		case "SGD", "Adam", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adamax":
		default:
			return ""
		}
		if *g.WeightDecay >= strong {
			return fmt.Sprintf("the weight decay %s of %s", num(*g.WeightDecay), o.Class)
		}
	}
	return ""
}

// heldDown judges a training whose weights shrank under a strong decay and
// stand still with it while most of the errors are left.
func (r *flat) heldDown(rep *rule.Report) bool {
	m, c, k := &r.state.Motion, &r.state.Curve, &r.state.Kind
	if r.state.Strong == "" || len(m.Last) < 2 || m.Grown > heldTo || m.Most > 1 || c.N < heldSteps || k.Guess <= 0 || k.summed() || k.Terms > 1 {
		return false
	}
	guess := k.Guess
	if k.classifies() {
		guess = min(guess, k.Uniform)
	}
	level := c.share(0.75, 1)
	if level < heldLevel*guess || level > 1.15*guess || c.share(0.5, 0.75)-level > 0.05*guess || still(c) {
		return false
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "held_by_weight_decay", Subject: c.Name, Observed: m.Grown, Threshold: heldTo, Comparator: "<=", Severity: rule.Warning, Steps: int(c.N),
		CauseClass: "regularisation", Cause: "weight decay that outweighs the loss and keeps the weights near 0",
		Remedy: "reduce it by factors of ten (1e-4 to 1e-2 is usual)", Asks: []rule.Advice{rule.RegulariseLess},
		Message: fmt.Sprintf("The weights have shrunk to %s of their initial size and the %s is stuck at %s (chance level: %s): %s keeps them near 0. Lower it to 0.001 and see whether the loss falls.",
			percent(m.Grown), called("loss", c.Name), c.quarter(), num(guess), r.state.Strong),
		Context: map[string]any{"left_median": m.Grown, "left_at_most": m.Most, "last_mean": level, "guess": guess},
	})
	return true
}

// shrunk judges a training whose weight matrices are all next to nothing at the
// end: what draws them there outweighs the errors, whatever they are.
func (r *flat) shrunk(rep *rule.Report) bool {
	m, c := &r.state.Motion, &r.state.Curve
	if r.state.Drawn == "" || len(m.Last) < 2 || m.Most > shrunkTo {
		return false
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "shrunk", Subject: c.Name, Observed: m.Most, Threshold: shrunkTo, Comparator: "<=", Severity: rule.Warning, Steps: int(c.N),
		CauseClass: "regularisation", Cause: "a weight penalty or weight decay that outweighs the loss and pulls the weights to 0",
		Remedy: "reduce it by factors of ten (a weight decay of 1e-4 to 1e-2 is usual)", Asks: []rule.Advice{rule.RegulariseLess},
		Message: fmt.Sprintf("After %d steps no weight matrix has more than %s of its initial size left: %s pulls the weights to 0, whatever the data.",
			c.N, percent(m.Most), r.state.Drawn),
		Context: map[string]any{"left_at_most": m.Most, "left_median": m.Grown, "last_mean": c.share(0.75, 1)},
	})
	return true
}
