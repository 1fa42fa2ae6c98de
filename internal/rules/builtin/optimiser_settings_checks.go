package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of optimiser_settings.
var optimiserSettingsChecks = []rule.Check{
	{
		ID: "optimiser_settings/betas", Files: []string{"optimiser_settings.go"}, Severity: rule.Warning, CauseClass: "optimizer", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The first beta of the optimiser is close to 1, or the second is below the first.",
		Evidence:        "{second?second beta {second}, lower limit {first}, the first beta|first beta {observed}, limit {threshold}}",
	},
	{
		ID: "optimiser_settings/eps", Files: []string{"optimiser_settings.go"}, Severity: rule.Info, CauseClass: "optimizer", Scope: rule.ScopeGeneral,
		When:     "The eps of the optimiser is so large that it outweighs small gradients.",
		Evidence: "eps {observed}, limit {threshold}",
	},
	{
		ID: "optimiser_settings/maximize", Files: []string{"optimiser_settings.go"}, Severity: rule.Warning, CauseClass: "optimizer", Scope: rule.ScopeGeneral,
		When:     "An optimiser has maximize=True and raises the loss.",
		Evidence: "maximize of {subject}: True, right is False",
	},
	{
		ID: "optimiser_settings/momentum", Files: []string{"optimiser_settings.go"}, Severity: rule.Warning, CauseClass: "optimizer", Scope: rule.ScopeGeneral,
		When:     "The momentum is so close to 1 that each gradient lasts for hundreds of updates.",
		Evidence: "momentum {observed}, limit {threshold}",
	},
}
