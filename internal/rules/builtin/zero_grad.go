package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// zeroGrad judges when gradients are cleared.
var zeroGrad = rule.Definition{
	Name: "zero_grad", Class: "ZeroGrad", Family: rule.Tensors, Severity: rule.Error,
	Summary:    "Gradients are never cleared, cleared before they are used, or never computed.",
	Why:        "backward adds to the gradients that are there. Where they are not cleared each update follows the sum of all batches so far; where they are cleared too early, or backward is missing, updates follow nothing.",
	Frameworks: rule.DeepLearning,
	CauseClass: "zero-grad",
	Causes:     []string{"zero_grad is not called between updates", "zero_grad is called between backward and the update", "backward is not called"},
	Remedies:   []string{"call optimizer.zero_grad() before backward, loss.backward(), then optimizer.step(), in this order, for each batch"},
	ExplainsAlways: []string{
		"learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates", "loss_not_decreasing", "vanishing_gradient", "exploding_tensor", "dead_relu", "saturated_activation", "unchanged_tensor", "weight_update_ratio", "all_zero",
		"not_finite", "underfit", "overtraining", "overfit", "gradient_clipping", "update_gradient_mismatch",
	},
	Default: &rule.Preset{Why: "Gradients of an earlier update have to be found at all but one of the first updates, three at least; of one of several optimisers, four at least. Clearing between backward and the update, or no backward at all, count with one optimiser, when they happen at most of three updates or more; with several, clearing counts where it happens at all of them and none of their parameters had a gradient or moved."},
	Needs:   noNeeds,
	New:     onFacts(judgeGradients),
}

func judgeGradients(f *rule.Facts) []rule.Violation {
	u, optimisers := f.Updates, max(1, int64(len(f.Optimisers)))
	if u == nil || u.Steps < 3 {
		return nil
	}
	own := slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool { return strings.Contains(o.Class, "LBFGS") }) // it calls backward itself
	found := func(check string, n int64, message, cause, remedy string) []rule.Violation {
		return []rule.Violation{{
			Check: check, Subject: "gradients", Severity: rule.Error, Observed: float64(n), Threshold: float64(u.Steps), Comparator: "of", Message: message, Cause: cause, Remedy: remedy,
			Context: map[string]any{"updates": u.Steps, "kept": u.Kept, "cleared": u.Cleared, "no_backward": u.NoBackward, "norms": u.Norms},
		}}
	}
	switch {
	// The first update of each optimiser has none before it.
	case u.Kept >= 3*optimisers && u.Kept >= u.Steps-optimisers:
		text := fmt.Sprintf("Gradients are never cleared: %d of the first %d updates added to the gradients of the one before%s.", u.Kept, u.Steps, growing(u.Norms))
		return found("kept", u.Kept, text, "zero_grad is not called between updates", "call optimizer.zero_grad() before backward, for each batch (or after each accumulated group of batches)")
	case optimisers > 1 && u.Cleared >= 3*optimisers && u.Cleared >= u.Steps-optimisers && nothingMoves(f):
		text := fmt.Sprintf("Gradients are cleared between backward and the update: at %d of the first %d the optimisers found none, and no parameter has moved.", u.Cleared, u.Steps)
		return found("cleared", u.Cleared, text, "zero_grad is called between backward and the update", "call zero_grad() of each optimiser before loss.backward(), not after it")
	case optimisers > 1 && !own && keeps(u.Each) != nil:
		one := keeps(u.Each)
		whose := "its optimiser " + one.Class
		if one.Model == "" {
			whose = "one of the optimisers (" + one.Class + ")"
		}
		text := fmt.Sprintf("The gradients of %s are never cleared: %d of the first %d updates by %s added to the gradients of the one before, while those of other optimisers are cleared.", modelName(one.Model), one.Kept, one.Steps, whose)
		return found("kept_by_one", one.Kept, text, "zero_grad is called on some of the optimisers only", "call zero_grad() of each optimiser before the backward that it is to follow")
	case optimisers > 1 || own:
		return nil
	case u.NoBackward >= 2 && 2*u.NoBackward > u.Steps:
		text := fmt.Sprintf("The optimiser makes updates without backward: at %d of the first %d none was called since the one before.", u.NoBackward, u.Steps)
		return found("no_backward", u.NoBackward, text, "loss.backward() is missing, or is called less often than optimizer.step()", "call loss.backward() before each optimizer.step()")
	case u.Cleared >= 2 && 2*u.Cleared > u.Steps && f.Graph != nil && f.Graph.Reached > 0:
		text := fmt.Sprintf("Gradients are cleared between backward and the update: at %d of the first %d the optimiser found none.", u.Cleared, u.Steps)
		return found("cleared", u.Cleared, text, "zero_grad is called between backward and the update", "call optimizer.zero_grad() before loss.backward(), not after it")
	}
	return nil
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

// nothingMoves: of the parameters that optimisers hold none ever had a gradient,
// and none has changed.
func nothingMoves(f *rule.Facts) bool {
	if f.Parameters == nil || f.Graph == nil || f.Graph.Reached == 0 {
		return false
	}
	held := 0
	for _, p := range f.Parameters.List {
		if !p.Trained || !p.Held {
			continue
		}
		if held++; p.Gradient != record.GradientMissing || p.Changed {
			return false
		}
	}
	return held > 0
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
