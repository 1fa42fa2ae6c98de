package builtin

import (
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// climbs reports whether an optimiser makes what it is given larger.
func climbs(f *rule.Facts) bool {
	return slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool {
		return slices.ContainsFunc(o.Groups, func(g rule.GroupFacts) bool { return g.Maximize })
	})
}

// priorUpsideDown finds a divergence from the prior that is made larger: without
// a lower limit it outgrows the errors next to it.
func priorUpsideDown(f *rule.Facts) []rule.Violation {
	if f.Graph == nil || f.Graph.Prior == nil || f.Graph.Prior.Sign >= 0 || climbs(f) {
		return nil
	}
	return []rule.Violation{{
		Check: "prior_sign", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		CauseClass: "loss", Cause: "the KL divergence has the wrong sign", Remedy: "kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean(), and loss = errors + kl",
		Message: "The KL divergence is in the loss with the wrong sign: it is maximised without bound, and the latent codes move away from the prior. Add -0.5 * sum(1 + logvar - mu^2 - exp(logvar)) to the reconstruction error.",
	}}
}
