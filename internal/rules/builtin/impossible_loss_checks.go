package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of impossible_loss.
var impossibleLossChecks = []rule.Check{
	{
		ID: "impossible_loss/negative", Files: []string{"impossible_loss.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"output-activation", "loss"},
		When:        "A loss that is never negative for what it is meant to get is negative.",
	},
	{
		ID: "impossible_loss/sign", Files: []string{"impossible_loss.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeGeneral,
		When: "What is minimised is the negative of a measure of errors, or a likelihood of which one term has the wrong sign.",
	},
	{
		ID: "impossible_loss/start", Files: []string{"impossible_loss.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeClassification,
		OtherCauses: []string{"data-scaling"},
		When:        "The loss begins far above that of a uniform guess over the classes.",
	},
}
