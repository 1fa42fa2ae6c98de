package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of impossible_loss.
var impossibleLossChecks = []rule.Check{
	{
		ID: "impossible_loss/negative", Files: []string{"impossible_loss.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"output-activation", "loss"},
		When:        "A loss that cannot be negative for valid inputs is negative.",
		Evidence:    "lowest loss {observed}, lower limit {threshold}{function? for {function}}",
	},
	{
		ID: "impossible_loss/sign", Files: []string{"impossible_loss.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeGeneral,
		When:     "The negative of an error measure is minimised, or one term of a likelihood has the wrong sign.",
		Evidence: "lowest loss {observed}, lower limit {threshold}",
	},
	{
		ID: "impossible_loss/start", Files: []string{"impossible_loss.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeClassification,
		OtherCauses: []string{"data-scaling"},
		When:        "The initial loss is far above that of uniform guessing over the classes.",
		Evidence:    "initial loss {observed}, limit {threshold}; uniform guessing gives {uniform_guess}",
	},
}
