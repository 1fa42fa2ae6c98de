package builtin

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// zeroGrad judges when gradients are cleared.
var zeroGrad = rule.Definition{
	Name: "zero_grad", Class: "ZeroGrad", Family: rule.Tensors, Severity: rule.Error,
	Summary:    "Gradients are never cleared, cleared before they are used, or never computed.",
	Why:        "backward() adds to the existing gradients. If they are not cleared, each update follows the sum of all batches so far; if they are cleared too early, or backward() is missing, updates have no gradients.",
	Frameworks: rule.DeepLearning,
	Checks:     rule.Index(gradientChecks),
	CauseClass: "zero-grad",
	Lacks:      "fewer than 3 updates were looked at",
	Causes:     []string{"zero_grad() is not called between updates", "zero_grad() is called between backward() and step()", "backward() is not called"},
	Remedies:   []string{"call optimizer.zero_grad() before backward, loss.backward(), then optimizer.step(), in this order, for each batch"},
	ExplainsAlways: []string{
		"learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates", "loss_not_decreasing", "vanishing_gradient", "exploding_tensor", "dead_relu", "saturated_activation", "unchanged_tensor", "weight_update_ratio", "all_zero",
		"not_finite", "underfit", "overtraining", "overfit", "gradient_clipping", "update_gradient_mismatch",
	},
	Default: &rule.Preset{Why: "Gradients of an earlier update have to be found at all but one of the first updates, three at least; of one of several optimisers, four at least. Clearing between backward and the update, or no backward at all, count with one optimiser, when they happen at most of three updates or more; with several, clearing counts where it happens at all of them and none of their parameters had a gradient or moved."},
	Needs:   noNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		has := func(f *rule.Facts) bool { return clearingOf(f) != nil }
		return &factual{newTold(), has, func(f *rule.Facts) []rule.Violation {
			if c := clearingOf(f); c != nil {
				return rule.First(gradientChecks, c, p)
			}
			return nil
		}}, nil
	},
}

// gradientChecks are the checks of zero_grad in the order in which they are
// asked.
var gradientChecks = []rule.Judged[*clearing]{gradientsKept, noBackward, gradientsCleared, keptByOne}

// clearing is what the checks of zero_grad judge.
type clearing struct {
	facts      *rule.Facts
	updates    *record.UpdateFacts
	optimisers int64
	own        bool // an optimiser calls backward itself
}

// clearingOf gathers it; nil where too few updates are known.
func clearingOf(f *rule.Facts) *clearing {
	if f.Updates == nil || f.Updates.Steps < 3 {
		return nil
	}
	own := slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool { return strings.Contains(o.Class, "LBFGS") })
	return &clearing{f, f.Updates, max(1, int64(len(f.Optimisers))), own}
}

// single reports whether one optimiser makes all updates, and does not call
// backward itself.
func (c *clearing) single() bool { return c.optimisers == 1 && !c.own }

// found is the evidence of updates that were made wrongly.
func (c *clearing) found(n int64, message string) []rule.Evidence {
	u := c.updates
	return []rule.Evidence{{
		Subject: "gradients", Observed: float64(n), Threshold: float64(u.Steps), Comparator: "of", Message: message,
		Context: map[string]any{"updates": u.Steps, "kept": u.Kept, "cleared": u.Cleared, "no_backward": u.NoBackward, "norms": u.Norms},
	}}
}
