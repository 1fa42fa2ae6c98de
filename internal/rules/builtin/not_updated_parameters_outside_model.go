package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// outsideModel finds parameters that are next to the model, in an object, a list or a
// variable, and that nobody gave to the optimiser: coefficients that are to be
// identified, temperatures, variances, weights of losses. Where several
// optimisers take turns, another one's time may still come.
func (r *updating) outsideModel(f *rule.Facts, rep *rule.Report) {
	found := f.Parameters.Loose
	if len(found) == 0 || f.Parameters.Updates < r.least || len(f.Optimisers) > 1 || !trainsOthers(f) {
		return
	}
	var names []string
	for _, l := range found {
		if name := looseName(l); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	who := someNames(names)
	r.say(rep, rule.Violation{
		Check: "tensor_in_no_optimiser", Subject: names[0], Severity: rule.Warning, Observed: float64(len(found)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "the parameter is not part of a module, so model.parameters() does not contain it, and it was not passed to the optimiser separately",
		Remedy: "pass it to the optimiser as well (list(model.parameters()) + [p]), or make it an nn.Parameter of the module; turn requires_grad off if it should stay fixed",
		Message: fmt.Sprintf("The loss depends on %s (%s), which %s to be trained but %s to no module and no optimiser: after %d updates the values are unchanged. Pass %s to the optimiser.",
			who, plural(len(found), "tensor"), asks(len(found)), belongs(len(found)), f.Parameters.Updates, it(len(found))),
		Context: map[string]any{"tensors": found},
	})
}

// trainsOthers: what the optimiser holds is trained. Without a model that holds
// plain tensors, of which the loss depends on some.
func trainsOthers(f *rule.Facts) bool {
	if len(f.Models) == 0 && len(f.Parameters.List) == 0 {
		return f.Graph != nil && f.Graph.Reached > 0
	}
	return slices.ContainsFunc(f.Parameters.List, heldAndMoved)
}

func heldAndMoved(p rule.ParameterFact) bool { return p.Held && p.Changed }

func looseName(l rule.LooseFact) string {
	if l.Parameter {
		return fmt.Sprintf("a parameter of shape %v", l.Shape)
	}
	return fmt.Sprintf("a tensor of shape %v", l.Shape)
}

func asks(n int) string {
	if n == 1 {
		return "asks"
	}
	return "ask"
}

func belongs(n int) string {
	if n == 1 {
		return "belongs"
	}
	return "belong"
}

func it(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
