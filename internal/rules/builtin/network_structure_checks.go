package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of network_structure.
var networkStructureChecks = []rule.Check{
	{
		ID: "network_structure/batch_first", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When: "A recurrent or attention layer takes the samples of a batch for the steps of a sequence.",
	},
	{
		ID: "network_structure/dead_units", Files: []string{"network_structure.go"}, Severity: rule.Error, CauseClass: "activation", Scope: rule.ScopeGeneral,
		When: "A layer gets nothing but zeros for all samples, because every unit before it is dead.",
	},
	{
		ID: "network_structure/dropout_on_output", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When: "Dropout is applied between the last layer and the loss.",
	},
	{
		ID: "network_structure/first_step", Files: []string{"network_structure_first_step_of_sequence.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When: "Of a recurrent layer only the output at the first step of a sequence is used.",
	},
	{
		ID: "network_structure/interleaved", Files: []string{"network_structure_channels_last_images.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeImages,
		When: "Images with their channels last were reshaped, and not permuted, to the shape with channels first.",
	},
	{
		ID: "network_structure/linear_stack", Files: []string{"network_structure_linear.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "Several layers follow each other without a non-linearity in between.",
	},
	{
		ID: "network_structure/normalisation_on_output", Files: []string{"network_structure.go"}, Severity: rule.Info, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "Batch normalisation stands between the last layer and the loss.",
	},
	{
		ID: "network_structure/one_for_all", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "The model gets a batch of samples and gives one prediction, which is compared with the labels of all.",
	},
	{
		ID: "network_structure/over_queries", Files: []string{"network_structure_attention_softmax_axis.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeAttention,
		When: "The softmax of attention goes over another axis than that of the keys.",
	},
	{
		ID: "network_structure/padding_seen", Files: []string{"network_structure_inverted_padding_mask.go"}, Severity: rule.Error, CauseClass: "structure", Scope: rule.ScopeAttention,
		When: "The padding mask is the wrong way round: attention sees padding only.",
	},
	{
		ID: "network_structure/renamed_axes", Files: []string{"network_structure_view_instead_of_transpose.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "A view or reshape gives two axes each other's lengths where they should have been exchanged.",
	},
	{
		ID: "network_structure/same_output", Files: []string{"network_structure.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "The model gives all samples of a batch the same output although their inputs differ.",
	},
	{
		ID: "network_structure/second_derivative", Files: []string{"network_structure_zero_second_derivatives.go"}, Severity: rule.Warning, CauseClass: "activation", Scope: rule.ScopeEquations,
		When: "The loss asks for second derivatives of a network whose activations are piecewise linear, so that they are zero.",
	},
	{
		ID: "network_structure/sees_ahead", Files: []string{"network_structure_sees_future.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeSequences,
		When: "A model that is to predict the next place of its input is shown it.",
	},
}
