package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of overfit.
var overfitChecks = []rule.Check{
	{
		ID: "overfit/by_heart", Files: []string{"validation_rise.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "The training loss has fallen to a small share of the validation loss, which has stood still for many evaluations.",
	},
	{
		ID: "overfit/never_better", Files: []string{"validation_never_learnt.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeClassification,
		When: "The training data are being learnt, while the validation loss was never below that of a guess.",
	},
	{
		ID: "overfit/ratio", Files: []string{"overfit.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		When: "The validation loss lies above the training loss by more than `ratio_threshold`, several times in a row.",
	},
	{
		ID: "overfit/validation_rises", Files: []string{"validation_rise.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "The validation loss has risen far above its own best, several evaluations in a row, while the training loss fell.",
	},
}
