package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

var noBackward = rule.Judged[*clearing]{
	Check: rule.Check{
		ID: "zero_grad/no_backward", Files: []string{"zero_grad_no_backward.go"}, Severity: rule.Error, CauseClass: "zero-grad", Scope: rule.ScopeGeneral,
		When:     "The only optimiser makes most of its first updates, at least two, without a backward() since the update before.",
		Evidence: "updates without backward() before them: {no_backward} of the first {updates}",
		Cause:    "loss.backward() is missing, or is called less often than optimizer.step()",
		Remedy:   "call loss.backward() before each optimizer.step()",
	},
	Judge: func(c *clearing, _ rule.Params) []rule.Evidence {
		u := c.updates
		if !c.single() || u.NoBackward < 2 || 2*u.NoBackward <= u.Steps {
			return nil
		}
		return c.found(u.NoBackward, fmt.Sprintf("The optimiser steps without backward(): at %d of the first %d updates it was not called since the update before.", u.NoBackward, u.Steps))
	},
}
