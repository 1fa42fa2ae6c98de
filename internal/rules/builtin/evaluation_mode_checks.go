package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of evaluation_mode.
var evaluationModeChecks = []rule.Check{
	{
		ID: "evaluation_mode/evaluated_in_training_mode", Files: []string{"evaluation_mode.go"}, Severity: rule.Warning, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Evaluation runs while the whole model is in training mode, so dropout is active, or batch normalisation uses batch statistics and updates its running ones.",
		Evidence:        "{modules?in training mode during evaluation: {modules}|F.dropout drops values during evaluation}",
	},
	{
		ID: "evaluation_mode/functional_dropout", Files: []string{"evaluation_mode.go"}, Severity: rule.Warning, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The model is in evaluation mode and dropout is still active, because F.dropout is called without training=self.training.",
		Evidence:        "F.dropout drops values although the model is in evaluation mode",
	},
	{
		ID: "evaluation_mode/statistics", Files: []string{"evaluation_mode.go"}, Severity: rule.Info, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The running statistics of batch normalisation are far from those of the evaluation data.",
		Evidence:        "distance of running statistics from those of the evaluation data: up to {observed} standard deviations, limit {threshold}",
	},
	{
		ID: "evaluation_mode/trained_in_evaluation_mode", Files: []string{"evaluation_mode.go"}, Severity: rule.Warning, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Updates are made while the model, or a part of it that was not pretrained, is in evaluation mode.",
		Evidence:        "in evaluation mode during training{since?, since step {since}}: {modules}",
	},
}
