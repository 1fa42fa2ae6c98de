package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of overfit.
var overfitChecks = []rule.Check{
	{
		ID: "overfit/memorised", Files: []string{"validation_rise.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "The training loss has fallen to a small share of the validation loss, which has been flat for many evaluations.",
		Evidence:    "training loss {training}: {observed:%} of the validation loss {validation}, limit {threshold:%}",
	},
	{
		ID: "overfit/never_better", Files: []string{"validation_never_learnt.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeClassification,
		When:     "The training loss falls, but the validation loss never got below the baseline: nothing generalises.",
		Evidence: "lowest validation loss {best}: {observed:times} times the {guess} of a guess by the labels' frequencies, limit {threshold} times",
	},
	{
		ID: "overfit/ratio", Files: []string{"overfit.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		When:     "The validation loss is above the training loss by more than `ratio_threshold`, several times in a row.",
		Evidence: "validation loss {validation}, training loss {training}: {observed:%} more, limit {threshold:%}; evaluations in a row: {in_a_row}",
	},
	{
		ID: "overfit/validation_rises", Files: []string{"validation_rise.go"}, Severity: rule.Warning, CauseClass: "overfit", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "The validation loss has risen far above its best value for several evaluations in a row, while the training loss fell.",
		Evidence:    "validation loss {validation}: {observed:%} above its best, {best} at step {best_step}; limit {threshold:%}",
	},
}
