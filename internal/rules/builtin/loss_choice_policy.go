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
	if climbs(f) {
		return nil
	}
	return []rule.Violation{{
		Check: "policy_sign", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		CauseClass: "loss", Cause: "a policy gradient of the wrong sign", Remedy: "put a minus before it: loss = -(log_prob * advantage).mean()",
		Message: "What is minimised is the logarithm of the probability of the chosen actions times what they were worth (rewards, returns or advantages), without a minus before it: actions that pay become rarer. Put a minus before it.",
	}}
}

// otherActions finds a policy gradient whose advantages are those of the actions
// that were taken, and whose logarithms of probabilities those of others.
func otherActions(f *rule.Facts) []rule.Violation {
	if f.Graph == nil || f.Graph.Policy == nil || !f.Graph.Policy.Anew || !f.Graph.Policy.Gains {
		return nil
	}
	return []rule.Violation{{
		Check: "other_actions", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		CauseClass: "loss", Cause: "logarithms of probabilities of actions that were not taken", Remedy: "log_prob(actions), with the actions that were taken when the rewards came",
		Message: "The logarithms of probabilities in the loss are of other actions than those that the script holds, as if they were drawn anew: what they are multiplied with is what the actions that were taken were worth, and has nothing to do with them. Keep the actions that are taken, and give log_prob these.",
	}}
}

// climbs tells whether an optimiser makes what it is given larger.
func climbs(f *rule.Facts) bool {
	return slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool {
		return slices.ContainsFunc(o.Groups, func(g rule.GroupFacts) bool { return g.Maximize })
	})
}

// priorUpsideDown finds a divergence from the prior that is made larger: without
// a lower limit it outgrows the errors beside it.
func priorUpsideDown(f *rule.Facts) []rule.Violation {
	if f.Graph == nil || f.Graph.Prior == nil || f.Graph.Prior.Sign >= 0 || climbs(f) {
		return nil
	}
	return []rule.Violation{{
		Check: "prior_sign", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		CauseClass: "loss", Cause: "a divergence from the prior of the wrong sign", Remedy: "kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean(), and loss = errors + kl",
		Message: "The divergence from the prior (KL) is in the loss with the wrong sign: it is made larger, which has no limit, and codes run away from the prior. It is -0.5 * sum(1 + logvar - mu^2 - exp(logvar)), and is added to the errors.",
	}}
}
