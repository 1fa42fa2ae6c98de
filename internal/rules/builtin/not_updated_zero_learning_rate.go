package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// zeroGroup finds layers as an initialiser left them in a group whose learning
// rate is 0, next to groups that move. A trained body under such a rate is
// frozen on purpose.
func (r *updating) zeroGroup(f *rule.Facts, rep *rule.Report) {
	if f.Parameters.Updates < r.least {
		return
	}
	var still, moved []*rule.ParameterFact
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		switch {
		case !p.Held || !p.Trained || p.LR == nil:
		case p.Changed:
			moved = append(moved, p)
		case *p.LR == 0 && p.Gradient == record.GradientFinite && !meantToStay(p.Module):
			still = append(still, p)
		}
	}
	if len(moved) == 0 || !slices.ContainsFunc(still, mixing) || age(still) != fresh {
		return
	}
	names, share := modulesOf(still), shareOf(still, moved)
	r.say(rep, rule.Violation{
		Check: "zero_group", Subject: names[0], Severity: rule.Warning, Observed: 0, Threshold: 0, Comparator: "=", Steps: int(updates(f)),
		Cause:  "a parameter group with learning rate 0, set directly or by its schedule",
		Remedy: "set a learning rate above 0 for the group; check what its schedule does to it",
		Asks:   []rule.Advice{rule.RaiseLearningRate},
		Message: fmt.Sprintf("The learning rate of %s is 0: after %d updates they still have their random initial values (%s of the elements), while others are trained.",
			someNames(names), f.Parameters.Updates, percent(share)),
		Context: map[string]any{"parameters": namesOf(still), "share": share},
	})
}
