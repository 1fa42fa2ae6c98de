package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

var gradientsKept = rule.Judged[*clearing]{
	Check: rule.Check{
		ID: "zero_grad/kept", Files: []string{"zero_grad_kept.go"}, Severity: rule.Error, CauseClass: "zero-grad", Scope: rule.ScopeGeneral,
		When:     "All but one of the first updates of each optimiser, at least three, use gradients added to those of the update before.",
		Evidence: "updates that added to the gradients of the one before: {kept} of the first {updates}",
		Cause:    "zero_grad() is not called between updates",
		Remedy:   "call optimizer.zero_grad() before loss.backward(), for each batch (or once per accumulated group of batches)",
	},
	Judge: func(c *clearing, _ rule.Params) []rule.Evidence {
		u := c.updates
		if u.Kept < 3*c.optimisers || u.Kept < u.Steps-c.optimisers { // the first update of each has none before it
			return nil
		}
		return c.found(u.Kept, fmt.Sprintf("Gradients are not cleared: at %d of the first %d updates they were added to those of the update before%s.", u.Kept, u.Steps, growing(u.Norms)))
	},
}

// growing says how the norms of the gradients went.
func growing(norms []rule.Number) string {
	if len(norms) < 3 {
		return ""
	}
	first, last := float64(norms[0]), float64(norms[len(norms)-1])
	if !finite(first) || !finite(last) || last <= first {
		return ""
	}
	return fmt.Sprintf("; their norm went from %s to %s", num(first), num(last))
}
