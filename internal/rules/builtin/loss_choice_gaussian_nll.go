package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// densityUpsideDown finds a likelihood of values, with a mean and a scale of the
// network's, that is minimised in place of its negative, or whose scale nothing
// holds against the errors. What a policy did is no label: its loss turns the sign
// of actions that cost.
func densityUpsideDown(v *lossView) []rule.Violation {
	g, o := v.facts.Graph, v.facts.Optimisers
	if g == nil || g.Density == nil || g.Policy != nil || g.Parts > 1 || len(o) != 1 || len(o[0].Groups) > 0 && o[0].Groups[0].Maximize {
		return nil
	}
	d := g.Density
	name, errors := "normal", "squares"
	if d.Kind == "laplace" {
		name, errors = "Laplace", "magnitudes"
	}
	switch {
	case d.Larger:
		text := fmt.Sprintf("The loss is the log-likelihood of a %s distribution instead of its negative: minimising it makes the errors larger, without bound.", name)
		out := v.violation("density_sign", text, "minimise the negative log-likelihood: put a minus sign in front of the whole expression", rule.Error)
		out.Cause = "a log-likelihood that is minimised"
		return []rule.Violation{out}
	case d.Held != nil && !*d.Held:
		text := fmt.Sprintf("The predicted scale has the wrong sign in the loss: a scale that cancels the %s of the errors also reduces the rest, whatever the labels are. In the log-density of a %s distribution the two terms oppose each other.", errors, name)
		out := v.violation("density_scale", text, "check the signs: 0.5 * (log_var + (y - mean)**2 * exp(-log_var)), or use GaussianNLLLoss", rule.Error)
		out.Cause = "a likelihood in which one term has the wrong sign"
		return []rule.Violation{out}
	}
	return nil
}
