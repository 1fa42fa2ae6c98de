package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// unfrozenNotHeld finds parameters that were unfrozen in the middle of a training
// whose optimiser was made without them.
var unfrozenNotHeld = rule.Judged[*rule.Facts]{
	Check: rule.Check{
		ID: "not_updated/unfrozen_not_in_optimiser", Files: []string{"not_updated_unfrozen.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Parameters that were frozen at first get gradients later, but no optimiser has them.",
		Evidence: "parameters with gradients that are in no optimiser, since step {since}: {observed}, {share:%} of the elements; limit {threshold}; {parameters}",
		Cause:    "the optimiser was created while these parameters were frozen, from those with requires_grad, and they were unfrozen later",
		Remedy:   "create the optimiser from all parameters before freezing, or pass what is unfrozen to optimizer.add_param_group",
	},
	Judge: func(f *rule.Facts, _ rule.Params) []rule.Evidence {
		u := f.Unfrozen
		if u == nil || u.Parameters == 0 || len(u.Names) == 0 {
			return nil
		}
		share := float64(u.Elements) / float64(max(u.Elements+u.Held, 1))
		return []rule.Evidence{{
			Subject: u.Names[0], Observed: float64(u.Parameters), Threshold: 0, Comparator: ">",
			Message: fmt.Sprintf("From step %d at the latest %s get gradients that no optimiser uses: %s (%s elements, frozen before; %s has %s). Create the optimiser from all parameters, or call add_param_group.",
				u.Since, plural(int(u.Parameters), "parameter"), amongThem(u), num(float64(u.Elements)), u.Optimiser, num(float64(u.Held))),
			Context: map[string]any{"since": u.Since, "parameters": u.Names, "share": share},
		}}
	},
}

// amongThem names the parameters, or the first of many.
func amongThem(u *record.UnfrozenFacts) string {
	const most = 3
	if u.Parameters <= most {
		return someNames(u.Names)
	}
	return "among them " + someNames(u.Names[:min(len(u.Names), most)])
}
