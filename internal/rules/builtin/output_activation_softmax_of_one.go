package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// oneEntry finds softmax over an axis that has one entry.
func oneEntry(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	op, constant := v.act(), 1.0
	if op == "log_softmax" {
		constant = 0
	}
	if op != "softmax" && op != "log_softmax" || p.Values == nil || p.Values.Elements < 2 || len(p.Shape) == 0 {
		return nil
	}
	// A loss that applies log_softmax itself keeps what comes after it.
	if float64(p.Values.Min) != constant || float64(p.Values.Max) != constant || op == "log_softmax" && v.loss == "cross_entropy" {
		return nil
	}
	text := fmt.Sprintf("%s runs over an axis of length 1, so every prediction is %s whatever the input (shape %v).", capital(v.module(op)), num(constant), p.Shape)
	return []rule.Violation{v.violation("softmax_of_one_entry", text, "use sigmoid for a single output, or one output per class; check dim= of the "+op, rule.Error)}
}

// scoresOfOne finds a softmax inside the network that gives 1 whatever it gets:
// scores of attention, or of experts, over an axis that has one entry. No
// gradient goes through it, so the layer of one unit before it never changes.
func scoresOfOne(f *rule.Facts, v *lossView) []rule.Violation {
	if f.Graph == nil || f.Graph.SoftmaxOfOne == 0 || f.Parameters == nil || f.Parameters.Updates < 4 {
		return nil
	}
	var scores []*rule.ParameterFact
	alive := false
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		alive = alive || p.Gradient == record.GradientFinite
		if p.Held && p.Trained && !p.Changed && p.Gradient == record.GradientZero && len(p.Shape) == 2 && p.Shape[0] == 1 {
			scores = append(scores, p)
		}
	}
	if len(scores) == 0 || !alive {
		return nil
	}
	text := fmt.Sprintf("A softmax inside the model runs over an axis of length 1 and always returns 1: no gradient reaches %s, whose scores have no effect.", someNames(modulesOf(scores)))
	out := v.violation("inner_softmax_of_one_entry", text, "apply the softmax over the axis along which scores are compared, such as the steps of a sequence: dim=1 of (batch, steps, 1)", rule.Warning)
	out.Subject, out.Cause = scores[0].Module, "a softmax over an axis of length 1"
	return []rule.Violation{out}
}

// answersOfOne finds a softmax over one output at the end of a model, by the
// graph alone: the loss is one that the script computes itself, and no parameter
// gets anything but zeros as gradient.
func answersOfOne(f *rule.Facts, v *lossView) []rule.Violation {
	if f.Graph == nil || f.Graph.SoftmaxOfOne == 0 || f.Predictions != nil || f.Parameters == nil || f.Parameters.Updates < 4 {
		return nil
	}
	h := f.Graph.Head
	at := slices.IndexFunc(h, func(op string) bool { return op == "softmax" || op == "log_softmax" })
	if at < 0 || !endsIn(h[at+1:], "") || slices.Contains(h, "cross_entropy") {
		return nil
	}
	still := false
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Held && p.Trained {
			if p.Changed && p.Gradient != record.GradientZero || p.Gradient == record.GradientFinite {
				return nil
			}
			still = still || p.Gradient == record.GradientZero
		}
	}
	if !still {
		return nil
	}
	what, constant := capital(v.module(h[at])), "1"
	if h[at] == "log_softmax" {
		constant = "0"
	}
	text := fmt.Sprintf("%s runs over an axis of length 1, so every prediction is %s whatever the input, and no parameter gets a gradient.", what, constant)
	return []rule.Violation{v.violation("softmax_of_one_entry", text, "use sigmoid for a single output, or one output per class; check dim= of the "+h[at], rule.Error)}
}
