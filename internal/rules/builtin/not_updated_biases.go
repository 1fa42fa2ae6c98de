package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// biasesOnly finds a network of which nothing but biases is trained, while all of
// its weights stay as they were initialised, the last layer's as well: a loop over
// names that freezes more than was meant. Who tunes the biases of a network that was
// trained before has weights that were trained, and who tunes normalisation leaves
// the biases of layers alone, and trains all of it: a part of it is no less a mistake.
func (r *updating) biasesOnly(f *rule.Facts, rep *rule.Report) {
	if f.Parameters.More > 0 || len(f.Models) > 1 || len(f.Optimisers) != 1 {
		return
	}
	var frozen, trained, scales, others []*rule.ParameterFact // the latter two of normalisation
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		switch {
		case mixing(p):
			if p.Trained || p.Changed || meantToStay(p.Module) {
				return
			}
			frozen = append(frozen, p)
		case p.Kind == record.NormModule && p.Trained:
			scales = append(scales, p)
		case p.Kind == record.NormModule:
			others = append(others, p)
		case p.Trained && p.Bias:
			trained = append(trained, p)
		}
	}
	what, ofLast := "biases are", true
	if len(trained) == 0 && len(others) > len(scales) {
		trained, what, ofLast = scales, "a part of the normalisation is", false
	}
	even := !slices.ContainsFunc(trained, func(p *rule.ParameterFact) bool { return p.First == nil || p.First.Min != p.First.Max })
	if values := age(frozen); len(frozen) < 2 || len(trained) < 2 || values == worn || values == unknown && !even {
		return
	}
	last := frozen[len(frozen)-1]
	if ofLast && !slices.ContainsFunc(trained, func(p *rule.ParameterFact) bool { return p.Module == last.Module }) {
		return
	}
	share := shareOf(frozen, trained)
	r.say(rep, rule.Violation{
		Check: "biases_only", Subject: last.Module, Observed: float64(len(frozen)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "requires_grad was turned off by a condition on names that matches every weight",
		Remedy: "print the names of all parameters with requires_grad, and freeze by module name; to tune only biases, load pretrained weights and train the whole last layer",
		Message: fmt.Sprintf("Only %s trained: all %d weights (%s of the elements) are frozen (requires_grad=False) at their random initial values, including that of the last layer %s.",
			what, len(frozen), percent(share), last.Module),
		Context: map[string]any{"frozen": namesOf(frozen), "trained": namesOf(trained), "share": share},
	})
}
