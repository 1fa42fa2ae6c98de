package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// behindFlat finds layers that the loss depends on only through an operation
// without a slope: their gradients come, and all are exactly zero. It tells
// whether it said so.
func (r *updating) behindFlat(f *rule.Facts, rep *rule.Report) bool {
	g := f.Graph
	if g == nil || g.Flat == nil || len(g.Flat.Operations) == 0 || f.Updates != nil && f.Updates.Cleared > 0 {
		return false
	}
	var behind, others []*rule.ParameterFact
	layers := 0
	full := len(g.Flat.Parameters) >= unreachedListed
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		switch {
		case !p.Trained || !p.Held:
		case p.Gradient == record.GradientZero && (full || slices.Contains(g.Flat.Parameters, p.Name)):
			behind = append(behind, p)
			layers += int(ifTrue(mixing(p)))
		default:
			others = append(others, p)
		}
	}
	if layers == 0 {
		return false
	}
	ops := strings.Join(g.Flat.Operations, ", ")
	share := shareOf(behind, others)
	v := rule.Violation{
		Check: "zero_gradient_operation", Subject: modulesOf(behind)[0], Severity: rule.Warning, Observed: float64(len(behind)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "an operation with zero gradient (round, sign, floor) between the layers and the loss",
		Remedy: "use a straight-through estimator, z + (torch.round(z) - z).detach(), or a smooth function such as tanh or a softmax with temperature during training",
		Message: fmt.Sprintf("All gradients of %s are exactly zero (%s, %s of the elements): the loss depends on them only through %s, whose gradient is zero, so they never learn.",
			someNames(modulesOf(behind)), plural(len(behind), "parameter"), percent(share), ops),
		Context: map[string]any{"parameters": namesOf(behind), "operations": g.Flat.Operations, "share": share},
	}
	if share > 0.5 {
		v.Severity = rule.Error
	}
	r.say(rep, v)
	return true
}
