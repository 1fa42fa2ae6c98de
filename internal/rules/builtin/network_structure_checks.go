package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of network_structure.
var networkStructureChecks = []rule.Check{
	{
		ID: "network_structure/batch_first", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When: "A recurrent or attention layer treats the samples of a batch as the steps of a sequence.",
	},
	{
		ID: "network_structure/dead_units", Files: []string{"network_structure.go"}, Severity: rule.Error, CauseClass: "activation", Scope: rule.ScopeGeneral,
		When: "A layer gets only zeros for all samples, because every unit before it is dead.",
	},
	{
		ID: "network_structure/dropout_on_output", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When: "Dropout is applied between the last layer and the loss.",
	},
	{
		ID: "network_structure/first_step", Files: []string{"network_structure_first_step_of_sequence.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When: "Only a recurrent layer's output at the first step of a sequence is used.",
	},
	{
		ID: "network_structure/interleaved", Files: []string{"network_structure_channels_last_images.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeImages,
		When: "Channels-last images were reshaped, not permuted, to channels first.",
	},
	{
		ID: "network_structure/linear_stack", Files: []string{"network_structure_linear.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "Several layers follow each other without an activation in between.",
	},
	{
		ID: "network_structure/normalisation_on_output", Files: []string{"network_structure.go"}, Severity: rule.Info, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "Batch normalisation is applied between the last layer and the loss.",
	},
	{
		ID: "network_structure/one_for_all", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "The model gets a batch of samples but returns a single prediction, which is compared with all labels.",
	},
	{
		ID: "network_structure/over_queries", Files: []string{"network_structure_attention_softmax_axis.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeAttention,
		When: "The attention softmax runs over another axis than the keys.",
	},
	{
		ID: "network_structure/padding_seen", Files: []string{"network_structure_inverted_padding_mask.go"}, Severity: rule.Error, CauseClass: "structure", Scope: rule.ScopeAttention,
		When: "The padding mask is inverted: attention sees only padding.",
	},
	{
		ID: "network_structure/renamed_axes", Files: []string{"network_structure_view_instead_of_transpose.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "A view or reshape relabels two axes that should have been transposed.",
	},
	{
		ID: "network_structure/same_output", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "The model gives all samples of a batch the same output although their inputs differ.",
	},
	{
		ID: "network_structure/second_derivative", Files: []string{"network_structure_zero_second_derivatives.go"}, Severity: rule.Warning, CauseClass: "activation", Scope: rule.ScopeEquations,
		When: "The loss needs second derivatives of a network whose activations are piecewise linear, so they are zero.",
	},
	{
		ID: "network_structure/sees_ahead", Files: []string{"network_structure_sees_future.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When: "The next token that the model should predict leaks into the input.",
	},
}
