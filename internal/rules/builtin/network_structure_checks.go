package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of network_structure.
var networkStructureChecks = []rule.Check{
	{
		ID: "network_structure/batch_first", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When:     "A recurrent or attention layer treats the samples of a batch as the steps of a sequence.",
		Evidence: "input {input:shape}: {observed} samples on the first axis, where the layer expects the {threshold} steps",
	},
	{
		ID: "network_structure/dead_units", Files: []string{"network_structure.go"}, Severity: rule.Error, CauseClass: "activation", Scope: rule.ScopeGeneral,
		When:     "A layer gets only zeros for all samples, because every unit before it is dead.",
		Evidence: "samples for which all inputs of {subject} are zero: {observed}, at least {threshold} are needed to judge",
	},
	{
		ID: "network_structure/dropout_on_output", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When:     "Dropout is applied between the last layer and the loss.",
		Evidence: "last operations of the model, up to the loss: {head:back}",
	},
	{
		ID: "network_structure/first_step", Files: []string{"network_structure_first_step_of_sequence.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When:     "Only a recurrent layer's output at the first step of a sequence is used.",
		Evidence: "steps of {subject} that the loss uses: {observed} of {threshold}",
	},
	{
		ID: "network_structure/channels_reshaped", Files: []string{"network_structure_channels_last_images.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeImages,
		When:     "Channels-last images were reshaped, not permuted, to channels first.",
		Evidence: "distance of neighbouring pixels of a channel: {observed} values, right is {threshold}; images {inputs:shape}",
	},
	{
		ID: "network_structure/linear_stack", Files: []string{"network_structure_linear.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "Several layers follow each other without an activation in between.",
		Evidence: "layers in a row without an activation between them: {observed}, limit {threshold}; {layers}",
	},
	{
		ID: "network_structure/normalisation_on_output", Files: []string{"network_structure.go"}, Severity: rule.Info, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "Batch normalisation is applied between the last layer and the loss.",
		Evidence: "last operations of the model, up to the loss: {head:back}",
	},
	{
		ID: "network_structure/one_prediction_per_batch", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "The model gets a batch of samples but returns a single prediction, which is compared with all labels.",
		Evidence: "inputs {inputs:shape}, predictions {predictions:shape}, labels {labels:shape}: one prediction for {observed} samples",
	},
	{
		ID: "network_structure/softmax_over_queries", Files: []string{"network_structure_attention_softmax_axis.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeAttention,
		When:     "The attention softmax runs over another axis than the keys.",
		Evidence: "attention maps whose softmax runs over another axis than the keys: {observed}, limit {threshold}",
	},
	{
		ID: "network_structure/padding_mask_inverted", Files: []string{"network_structure_inverted_padding_mask.go"}, Severity: rule.Error, CauseClass: "structure", Scope: rule.ScopeAttention,
		When:     "The padding mask is inverted: attention sees only padding.",
		Evidence: "positions that attention sees: {seen} of padding, none of {hidden} others",
	},
	{
		ID: "network_structure/renamed_axes", Files: []string{"network_structure_view_instead_of_transpose.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "A view or reshape relabels two axes that should have been transposed.",
		Evidence: "shape before {from:shape}, after {to:shape}, and no value was moved",
	},
	{
		ID: "network_structure/same_output", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "The model gives all samples of a batch the same output although their inputs differ.",
		Evidence: "samples with the same output: all {observed} of a batch; inputs {inputs:shape}, predictions {predictions:shape}",
	},
	{
		ID: "network_structure/second_derivative", Files: []string{"network_structure_zero_second_derivatives.go"}, Severity: rule.Warning, CauseClass: "activation", Scope: rule.ScopeEquations,
		When:     "The loss needs second derivatives of a network whose activations are piecewise linear, so they are zero.",
		Evidence: "second derivatives taken: {taken}, all zero; activations: {units}",
	},
	{
		ID: "network_structure/sees_ahead", Files: []string{"network_structure_sees_future.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When:     "The next token that the model should predict leaks into the input.",
		Evidence: "attention maps that see later positions: {observed}, limit {threshold}; sequences of {length}",
	},
}
