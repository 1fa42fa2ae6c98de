package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

var keptByOne = rule.Judged[*clearing]{
	Check: rule.Check{
		ID: "zero_grad/kept_by_one", Files: []string{"zero_grad_kept_by_one.go"}, Severity: rule.Error, CauseClass: "zero-grad", Scope: rule.ScopeGeneral,
		When:     "The gradients of one of several optimisers are never cleared, at four updates or more.",
		Evidence: "updates that added to the gradients of the one before: {kept}, all by one optimiser; updates of all optimisers: {updates}",
		Cause:    "zero_grad() is called on only some of the optimisers",
		Remedy:   "call zero_grad() of each optimiser before its backward()",
	},
	Judge: func(c *clearing, _ rule.Params) []rule.Evidence {
		one := keeps(c.updates.Each)
		if c.optimisers == 1 || c.own || one == nil {
			return nil
		}
		whose := "its optimiser " + one.Class
		if one.Model == "" {
			whose = "one of the optimisers (" + one.Class + ")"
		}
		return c.found(one.Kept, fmt.Sprintf("The gradients of %s are not cleared: at %d of the first %d updates by %s they were added to those of the update before. Other optimisers' gradients are cleared.",
			modelName(one.Model), one.Kept, one.Steps, whose))
	},
}

// keeps is the one of several optimisers whose updates, but for the first, all
// found the gradients of the one before still there when each of the backwards
// in between began; nil without one.
func keeps(each []record.OptimiserUpdates) *record.OptimiserUpdates {
	for i := range each {
		if e := &each[i]; e.Kept >= leastKept && e.Kept >= e.Steps-1 {
			return e
		}
	}
	return nil
}

// leastKept is how many updates of one of several optimisers have to keep
// gradients.
const leastKept = 4
