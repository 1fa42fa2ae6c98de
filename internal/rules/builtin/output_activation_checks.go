package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of output_activation.
var outputActivationChecks = []rule.Check{
	{
		ID: "output_activation/limited_logits", Files: []string{"output_activation.go"}, Severity: rule.Warning, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		When:     "A sigmoid, tanh or cosine limits the range of outputs that the loss treats as logits.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "output_activation/logits_as_probabilities", Files: []string{"output_activation.go"}, Severity: rule.Warning, CauseClass: "output-activation", Scope: rule.ScopeImages,
		When:     "An overlap loss (Dice) gets raw outputs instead of probabilities.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "output_activation/no_logarithm", Files: []string{"output_activation.go", "output_activation_ctc.go", "output_activation_kl_div.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "A loss that expects log-probabilities gets probabilities or raw outputs.",
		Evidence:        "{graph?operations from the outputs to the loss: {graph:back}|loss {loss}}{predictions_min?; predictions from {predictions_min} to {predictions_max}}",
	},
	{
		ID: "output_activation/softmax_of_one_entry", Files: []string{"output_activation_softmax_of_one.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		When:     "Softmax runs over an axis of length 1, so every prediction is the same.",
		Evidence: "{graph?operations from the outputs to the loss: {graph:back}|loss {loss}}{predictions?; predictions {predictions:shape}}",
	},
	{
		ID: "output_activation/labels_out_of_reach", Files: []string{"output_activation_label_range.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeRegression,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The last activation cannot reach the values of the labels.",
		Evidence:        "distance of the labels beyond what the activation can give: {observed}, limit {threshold}; operations: {graph:back}",
	},
	{
		ID: "output_activation/logarithm_of_logits", Files: []string{"output_activation.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		When:     "A hand-written cross-entropy takes the logarithm of raw outputs.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "output_activation/rectified_logits", Files: []string{"output_activation.go"}, Severity: rule.Warning, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		When:     "The outputs that the loss treats as logits cannot be negative.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "output_activation/inner_softmax_of_one_entry", Files: []string{"output_activation_softmax_of_one.go"}, Severity: rule.Warning, CauseClass: "output-activation", Scope: rule.ScopeAttention,
		When:     "A softmax inside the model runs over an axis of length 1 and always returns 1.",
		Evidence: "length of the axis of the softmax after {subject}: 1, lower limit 2",
	},
	{
		ID: "output_activation/sigmoid_twice", Files: []string{"output_activation.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		When:     "The outputs are already probabilities, and the loss applies sigmoid again.",
		Evidence: "{graph?operations from the outputs to the loss: {graph:back}|loss {loss}}{predictions_max?; predictions from {predictions_min} to {predictions_max}}",
	},
	{
		ID: "output_activation/softmax_for_multi_label", Files: []string{"output_activation.go"}, Severity: rule.Warning, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		When:     "Softmax is used for classes of which several, or none, may be right.",
		Evidence: "operations from the outputs to the loss: {graph:back}; labels 0 and 1",
	},
	{
		ID: "output_activation/softmax_twice", Files: []string{"output_activation.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The outputs are already probabilities, and the loss or the distribution applies softmax again.",
		Evidence:        "{graph?operations from the outputs to the loss: {graph:back}|loss {loss}}{predictions_max?; predictions from {predictions_min} to {predictions_max}}",
	},
	{
		ID: "output_activation/wrong_axis", Files: []string{"output_activation.go"}, Severity: rule.Error, CauseClass: "output-activation", Scope: rule.ScopeClassification,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "Softmax, log_softmax or a norm runs over the samples, or another axis than that of the classes.",
		Evidence:        "{graph?operations from the outputs to the loss: {graph:back}|loss {loss}}{predictions?; predictions {predictions:shape}}",
	},
}
