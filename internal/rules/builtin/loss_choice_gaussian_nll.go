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
		text := fmt.Sprintf("The loss is the logarithm of a %s density of the labels, where it wants minus that: what makes it smaller makes the errors larger, without limit.", name)
		out := v.violation("density_sign", text, "minimise the negative log-likelihood: put a minus before the whole of it", rule.Error)
		out.Cause = "a log-likelihood that is minimised"
		return []rule.Violation{out}
	case d.Held != nil && !*d.Held:
		text := fmt.Sprintf("The loss weighs the %s of the errors with a scale that the network gives, and a scale at which they do not count makes the rest of the loss smaller, too: it ends there, whatever the labels are. In the logarithm of a %s density the two work against each other.", errors, name)
		out := v.violation("density_scale", text, "look at the signs: 0.5 * (log_var + (y - mean)**2 * exp(-log_var)), or use GaussianNLLLoss", rule.Error)
		out.Cause = "a likelihood of which one term has the wrong sign"
		return []rule.Violation{out}
	}
	return nil
}
