package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of overfit.
var overfitChecks = []rule.Check{
	{
		ID: "overfit/by_heart", Files: []string{"validation_rise.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "The training loss has fallen to a small share of the validation loss, which has been flat for many evaluations.",
	},
	{
		ID: "overfit/never_better", Files: []string{"validation_never_learnt.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeClassification,
		When: "The training loss falls, but the validation loss never got below the baseline: nothing generalises.",
	},
	{
		ID: "overfit/ratio", Files: []string{"overfit.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		When: "The validation loss is above the training loss by more than `ratio_threshold`, several times in a row.",
	},
	{
		ID: "overfit/validation_rises", Files: []string{"validation_rise.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "The validation loss has risen far above its best value for several evaluations in a row, while the training loss fell.",
	},
}
