package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// madeInForward finds weights that every forward makes itself, between or after layers
// that are trained: a layer that is constructed in forward begins at random each
// time.
func (r *updating) madeInForward(f *rule.Facts, rep *rule.Report) {
	made := f.Parameters.Anew
	if len(made) == 0 || !slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool { return p.Held && p.Changed }) {
		return
	}
	var whats []string
	for _, a := range made {
		whats = append(whats, fmt.Sprintf("%s %v", a.Operation, a.Shape))
	}
	r.say(rep, rule.Violation{
		Check: "weights_recreated", Subject: "forward", Severity: rule.Warning, Observed: float64(len(made)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "a layer is constructed inside forward",
		Remedy: "create the layer once, in the model's __init__, and only call it in forward",
		Message: fmt.Sprintf("The loss depends on %s that forward re-creates each time (%s) and then discards, so the other layers face new random values at every step.",
			plural(len(made), "weight"), someNames(whats)),
		Context: map[string]any{"weights": whats},
	})
}
