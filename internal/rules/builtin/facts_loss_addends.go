package builtin

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// ofAddends judges each loss of a sum as if it were a loss by itself, and keeps
// what some checks say of it. What is known of the model as a whole, or of the loss
// that was looked at first, says nothing about another.
func ofAddends(f *rule.Facts, judge func(*rule.Facts) []rule.Violation, checks ...string) []rule.Violation {
	if f.Graph == nil {
		return nil
	}
	var out []rule.Violation
	for i := range f.Graph.Addends {
		for _, v := range judge(asOnly(f, &f.Graph.Addends[i])) {
			if slices.Contains(checks, v.Check) {
				out = append(out, v)
			}
		}
	}
	return out
}

// asOnly are the facts of a training as far as they are about one loss of its sum.
func asOnly(f *rule.Facts, a *record.AddendFacts) *rule.Facts {
	loss := &record.LossFacts{Name: a.Function, Function: a.Function, Reduction: "mean"}
	if a.Masked || a.Labels == nil || a.Predictions == nil {
		loss.Reduction = "none"
	}
	one := &rule.Facts{Framework: f.Framework, Models: f.Models, Optimisers: f.Optimisers, Inputs: f.Inputs, Loss: loss, Predictions: a.Predictions}
	one.Graph = &record.GraphFacts{Parts: f.Graph.Parts}
	if a.Predictions != nil && len(a.Predictions.Way) > 0 {
		one.Graph.Head = append([]string{a.Function}, a.Predictions.Way...)
	}
	if a.Labels != nil {
		labels := *a.Labels
		labels.Others = []*rule.LabelFacts{a.Labels} // it is not alone
		one.Labels = &labels
	}
	return one
}
