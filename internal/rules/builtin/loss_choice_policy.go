package builtin

import (
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// policyUpsideDown finds a policy gradient of the wrong sign: what is minimised is
// the logarithm of the probability of an action times its advantage, as it is.
// The sign is that beside the script's own rewards, because a minus may have gone
// into the numbers. Whoever speaks of costs means it so.
func policyUpsideDown(f *rule.Facts) []rule.Violation {
	if f.Graph == nil || f.Graph.Policy == nil || f.Graph.Policy.Sign <= 0 || !f.Graph.Policy.Gains {
		return nil
	}
	if slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool {
		return slices.ContainsFunc(o.Groups, func(g rule.GroupFacts) bool { return g.Maximize })
	}) {
		return nil
	}
	return []rule.Violation{{
		Check: "policy_sign", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		CauseClass: "loss", Cause: "a policy gradient of the wrong sign", Remedy: "put a minus before it: loss = -(log_prob * advantage).mean()",
		Message: "What is minimised is the logarithm of the probability of the chosen actions times what they were worth (rewards, returns or advantages), without a minus before it: actions that pay become rarer. Put a minus before it.",
	}}
}
