package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// alwaysClipped judges by how much gradients are clipped, as the calls of the
// framework's own function show it.
var alwaysClipped = rule.Definition{
	Name: "clipping", Class: "Clipping", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     alwaysClippedChecks,
	Summary:    "Gradients are clipped at every update, to a norm or value so small that the weights hardly move.",
	Why:        "Clipping is meant for outliers. Where it is always active it sets the size of every update, and may make it so small that nothing is learnt.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "excess", Type: rule.Float, Default: "100", Range: rule.Above(1), Unit: "ratio", Meaning: "norm of the gradients over the norm they are clipped to, or their largest magnitude over the value"},
		{Name: "movement", Type: rule.Float, Default: "0.0001", Range: rule.Above(0), Unit: "fraction", Meaning: "length of an update over that of the weights below which nothing moves"},
		{Name: "least_calls", Type: rule.Int, Default: "5", Range: rule.AtLeast(2), Unit: "calls", Meaning: "calls that must all have clipped"},
	},
	CauseClass: "optimizer",
	Lacks:      "gradients are not clipped",
	Causes:     []string{"max_norm or clip_value is far too small", "the gradients are far too large because the loss is summed instead of averaged"},
	Remedies:   []string{"raise max_norm to about the typical gradient norm, or clip_value to the typical gradient magnitude", "average the loss over the batch", "look at the norms before clipping"},
	Asks:       []rule.Advice{rule.ClipLess},
	Explains:   []string{"underfit", "overtraining", "loss_not_decreasing", "weight_update_ratio", "unchanged_tensor", "vanishing_gradient", "loss_flat", "learning_rate", "too_few_updates"},
	Default: &rule.Preset{
		Why: "Clipping at every update is usual for language models, also by the defaults of trainers, and harmless with optimisers that go by the gradient's direction only. It counts where gradients are a hundred times as long as what is left of them, and ten thousand updates would not move the weights by their own length; where they are a thousand times as long, three thousand. Adam does not move by more than the gradients over its eps, which decides where they are next to nothing.",
	},
	Needs: noNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		return &clipped{told: newTold(), excess: p.Float("excess"), movement: p.Float("movement"), calls: p.Int("least_calls")}, nil
	},
}

type clipped struct {
	told
	excess, movement float64
	calls            int64
}

// Facts implements rule.FactReader.
func (r *clipped) Facts(f *rule.Facts, rep *rule.Report) {
	if f.Updates == nil || f.Updates.Clip == nil || f.Parameters == nil {
		return
	}
	c := f.Updates.Clip
	rep.Inspect(int(c.Calls))
	norm, most := medianOf(c.Norms), float64(c.MaxNorm)
	if c.Calls < r.calls || c.Clipped < c.Calls || !(most > 0) || !(norm > most) {
		return
	}
	left, what, name := most, "norm", "max_norm"
	if c.ByValue {
		left, what, name = medianOf(f.Updates.Norms), "largest element", "clip_value"
	}
	if r.scaled(f, norm, rep) {
		return
	}
	excess, moves := norm/most, r.moves(f, left)
	v := rule.Violation{
		Check: "always_clipped", Subject: "gradients", Severity: rule.Info, Observed: excess, Threshold: unusual, Comparator: ">=", Steps: int(c.Calls),
		Message: fmt.Sprintf("Every one of the first %d updates was clipped: the gradients' %s is about %s, %s %s. Raise %s if clipping is meant for outliers only.", c.Calls, what, num(norm), name, num(most), name),
		Context: map[string]any{"norm": norm, "max_norm": most, "calls": c.Calls, "by_value": c.ByValue},
	}
	limit := r.movement
	if excess > 10*r.excess { // there is no doubt left that it was not meant
		limit *= 3
	}
	if excess > r.excess && moves < limit {
		v.Severity, v.Threshold, v.Comparator = rule.Warning, r.excess, ">"
		v.Context["movement"] = moves
		v.Message = fmt.Sprintf("Clipping is too tight: gradients whose %s is about %s are clipped to %s at every update, so an update changes the weights by only %s of their norm. Raise %s.", what, num(norm), num(most), num(moves), name)
	}
	if v.Severity == rule.Info && (c.Library || excess < unusual) {
		return // the limit of a trainer, which fits most of what is trained with it; or one such as most recipes have
	}
	r.say(rep, v)
}

// unusual is how many times as long as the limit gradients have to be for a word on it:
// below that every update is clipped in many sound trainings.
const unusual = 5

// scaleFactor is the least by which a loss is scaled; the sum of several gradients, or
// their mean, differs by less.
const scaleFactor = 100

// scaled reports whether gradients were clipped while they still had the factor of a
// loss scaler: what an update got of them is that much smaller than what was left.
func (r *clipped) scaled(f *rule.Facts, norm float64, rep *rule.Report) bool {
	c, used := f.Updates.Clip, medianOf(f.Updates.Norms)
	most := float64(c.MaxNorm)
	if c.ByValue || len(f.Optimisers) != 1 || f.Updates.Cleared > 0 || f.Updates.NoBackward > 0 || !(used > 0) || most < scaleFactor*used {
		return false
	}
	r.say(rep, rule.Violation{
		Check: "always_clipped", Subject: "gradients", Severity: rule.Warning, Observed: most / used, Threshold: scaleFactor, Comparator: ">=", Steps: int(c.Calls),
		Cause:  "gradients are clipped while they are still multiplied by the loss scale",
		Remedy: "call scaler.unscale_(optimizer) before clipping",
		Asks:   []rule.Advice{},
		Message: fmt.Sprintf("Gradients are clipped before they are unscaled: at all of the first %d updates their norm (about %s) was clipped to %s, then divided by the loss scale of about %s.",
			c.Calls, num(norm), num(most), num(math.Round(most/used))),
		Context: map[string]any{"norm": norm, "max_norm": most, "norm_of_update": used, "calls": c.Calls},
	})
	return true
}

// dividers divide a gradient by its size and eps: below eps it is that alone which
// counts, so that an update is no longer than the gradient over it.
var dividers = []string{"Adam", "AdamW", "NAdam", "RAdam"}

// moves is the length of an update by gradients of a norm over that of the
// weights, or one that it cannot exceed; infinite where it is not known.
func (r *clipped) moves(f *rule.Facts, left float64) float64 {
	if len(f.Optimisers) != 1 || len(f.Optimisers[0].Groups) == 0 {
		return math.Inf(1)
	}
	adaptive := slices.Contains(dividers, f.Optimisers[0].Class)
	if !adaptive && f.Optimisers[0].Class != "SGD" {
		return math.Inf(1)
	}
	norm, fastest := weightNorm(f), 0.0
	for _, g := range f.Optimisers[0].Groups {
		if g.LR == nil || adaptive && (g.Eps == nil || *g.Eps <= 0) {
			return math.Inf(1)
		}
		lr := *g.LR
		if adaptive {
			lr /= *g.Eps
		} else if g.Momentum != nil && *g.Momentum < 1 {
			lr /= 1 - *g.Momentum
		}
		fastest = max(fastest, lr)
	}
	if !(norm > 0) || fastest == 0 || !finite(left) {
		return math.Inf(1)
	}
	return fastest * left / norm
}
