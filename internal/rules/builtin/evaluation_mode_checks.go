package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of evaluation_mode.
var evaluationModeChecks = []rule.Check{
	{
		ID: "evaluation_mode/evaluated_in_training_mode", Files: []string{"evaluation_mode.go"}, Severity: rule.Warning, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Evaluation runs while the whole model is in training mode, so that dropout drops or batch normalisation uses and updates the statistics of the batch.",
	},
	{
		ID: "evaluation_mode/functional_dropout", Files: []string{"evaluation_mode.go"}, Severity: rule.Warning, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The model is in evaluation mode and dropout is still at work, because it is called as a function that is not told the mode.",
	},
	{
		ID: "evaluation_mode/statistics", Files: []string{"evaluation_mode.go"}, Severity: rule.Info, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The running statistics of batch normalisation lie far from those of the data that it gets in evaluation.",
	},
	{
		ID: "evaluation_mode/trained_in_evaluation_mode", Files: []string{"evaluation_mode.go"}, Severity: rule.Warning, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Updates are made while the model, or a part of it that begins untrained, is in evaluation mode.",
	},
}
