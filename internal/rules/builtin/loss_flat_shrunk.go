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
		return fmt.Sprintf("the penalty on them in the loss (factor %s)", num(float64(f.Graph.Penalty.Factor)))
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
		CauseClass: "regularisation", Cause: "a penalty or a weight decay that outweighs the errors: weights are drawn to 0",
		Remedy: "make it weaker by factors of ten (a weight decay of 1e-4 to 1e-2 is usual)",
		Message: fmt.Sprintf("After %d steps no weight matrix has more than %s of its first size left: %s draws the weights to 0, whatever the data say.",
			c.N, percent(m.Most), r.state.Drawn),
		Context: map[string]any{"left_at_most": m.Most, "left_median": m.Grown, "last_mean": c.share(0.75, 1)},
	})
	return true
}
