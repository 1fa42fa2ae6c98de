package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// averageNeverUpdated finds an average of the weights that is used after training,
// and into which nothing was averaged: it still is the model before the first update.
var averageNeverUpdated = rule.Judged[*rule.Facts]{
	Check: rule.Check{
		ID: "not_updated/average_never_updated", Files: []string{"not_updated_average.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "An average of the weights (AveragedModel) is called after training steps, and was never updated.",
		Evidence: "updates of the average: {observed}; calls: {uses}, the last one after {steps} training steps",
		Cause:    "update_parameters was never called on the AveragedModel, so it has the weights from before training",
		Remedy:   "call ema.update_parameters(model) after each optimizer.step()",
	},
	Judge: func(f *rule.Facts, p rule.Params) []rule.Evidence {
		if f.Averages == nil {
			return nil
		}
		var out []rule.Evidence
		for _, a := range f.Averages.List {
			if a.Updates > 0 || a.Uses == 0 || a.Steps < p.Int("least_updates") {
				continue
			}
			out = append(out, rule.Evidence{
				Subject: a.Class, Observed: 0, Threshold: 0, Comparator: "=",
				Message: fmt.Sprintf("The averaged copy of %s was used %d times and updated 0 times in %s, so it has the weights from before training. Call update_parameters(model) after each optimizer.step().",
					a.Class, a.Uses, plural(int(a.Steps), "step")),
				Context: map[string]any{"uses": a.Uses, "steps": a.Steps},
			})
		}
		return out
	},
}
