package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// nothingTrainable finds an optimiser that makes updates of nothing. Gradients
// that a script sets by hand change parameters that ask for none, and so count.
var nothingTrainable = rule.Judged[*rule.Facts]{
	Check: rule.Check{
		ID: "not_updated/nothing_trainable", Files: []string{"not_updated_nothing_trainable.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "After `least_updates` updates no parameter of an optimiser has requires_grad, has a gradient, or has changed.",
		Evidence: "parameters that ask for gradients: 0 of {parameters}, after {updates} updates",
		Cause:    "requires_grad is turned off for all parameters of the optimiser",
		Remedy:   "call requires_grad_(True) on the parameters to train, before the first forward pass, and pass those to the optimiser",
	},
	Judge: func(f *rule.Facts, p rule.Params) []rule.Evidence {
		ps := f.Parameters
		if ps == nil || ps.Updates < p.Int("least_updates") || ps.More > 0 {
			return nil
		}
		held, elements := int64(0), int64(0)
		for i := range ps.List {
			switch x := &ps.List[i]; {
			case !x.Held:
			case x.Trained, x.Changed, x.Gradient != record.GradientMissing:
				return nil
			default:
				held, elements = held+1, elements+elementsOf(x.Shape)
			}
		}
		if held == 0 || held != heldByAll(f) {
			return nil
		}
		return []rule.Evidence{{
			Subject: "parameters", Observed: 0, Threshold: 0, Comparator: "=", Steps: int(ps.Updates),
			Message: fmt.Sprintf("Nothing is trained: all %d parameters (%s elements) of the optimiser have requires_grad=False, and none has changed in %d updates.", held, num(float64(elements)), ps.Updates),
			Context: map[string]any{"parameters": held, "elements": elements, "updates": ps.Updates},
		}}
	},
}

// heldByAll is the number of tensors that the optimisers hold together, seen in
// a model or not.
func heldByAll(f *rule.Facts) (n int64) {
	for _, o := range f.Optimisers {
		for _, g := range o.Groups {
			n += g.Parameters
		}
	}
	return n
}
