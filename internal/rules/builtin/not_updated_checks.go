package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of not_updated.
var notUpdatedChecks = []rule.Check{
	{
		ID: "not_updated/another_instance_trained", Files: []string{"not_updated_stale_optimiser_parameters.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Gradients go to another instance of the model than the one whose parameters the optimiser has.",
		Evidence: "parameters with gradients that are in no optimiser: {observed}, limit {threshold}{since?; since step {since}}",
	},
	{
		ID: "not_updated/biases_only", Files: []string{"not_updated_biases.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Only biases are trained, and all weights keep their initial values.",
		Evidence: "frozen weights: {observed}, {share:%} of all elements; trained: {trained}",
	},
	{
		ID: "not_updated/frozen_between", Files: []string{"not_updated_frozen.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "A layer between trained layers is frozen.",
		Evidence: "frozen layers between trained ones: {observed} of {of}, limit {threshold}; {layers}",
	},
	{
		ID: "not_updated/frozen_neck", Files: []string{"not_updated_frozen_neck.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "New layers between a frozen, pretrained body and the head are frozen at their initial values.",
		Evidence: "new layers that are frozen: {observed}, limit {threshold}; {elements} elements",
	},
	{
		ID: "not_updated/frozen_stack", Files: []string{"not_updated_frozen_lower_layers.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Blocks are frozen at their initial values while similar blocks, or what follows, are trained.",
		Evidence: "frozen layers with random values: {observed} of {of}, limit {threshold}",
	},
	{
		ID: "not_updated/in_two_optimisers", Files: []string{"not_updated_not_in_optimiser.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGAN,
		When:     "Two optimisers have the same parameters, while no optimiser has others that the loss depends on.",
		Evidence: "parameters that two optimisers have: {observed}, limit {threshold}",
	},
	{
		ID: "not_updated/tensor_in_no_optimiser", Files: []string{"not_updated_parameters_outside_model.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "The loss depends on a tensor with requires_grad that is in no module and no optimiser.",
		Evidence: "tensors of the loss that are in no module and no optimiser: {observed}, limit {threshold}",
	},
	{
		ID: "not_updated/latent_code_cut", Files: []string{"not_updated_term_without_graph.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeAutoencoder,
		When:     "No gradient of the reconstruction error reaches the encoder through the latent code.",
		Evidence: "ways from the reconstruction error back to the encoder: 0, lower limit 1",
	},
	{
		ID: "not_updated/term_without_graph", Files: []string{"not_updated_term_without_graph.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "A term of the loss is computed from gradients without create_graph=True and so is a constant.",
		Evidence: "terms of the loss through which no gradient goes: {observed}, limit {threshold}",
	},
	{
		ID: "not_updated/weights_recreated", Files: []string{"not_updated_weights_made_in_forward.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "The loss depends on weights that are re-created in every forward.",
		Evidence: "weights that forward makes at each call: {observed}, limit {threshold}; {weights}",
	},
	{
		ID: "not_updated/no_gradient", Files: []string{"not_updated_not_in_loss.go"}, Severity: rule.Info, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning, rule.Error},
		When:            "No gradient reaches parameters that the optimiser has.",
		Evidence:        "parameters without a gradient: {observed}, {share:%} of all elements; limit {threshold}",
	},
	{
		ID: "not_updated/no_graph", Files: []string{"not_updated_loss_without_graph.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Backward is called on a tensor that depends on no parameter.",
		Evidence: "parameters with a gradient: 0 of {parameters}",
	},
	{
		ID: "not_updated/zero_gradient_operation", Files: []string{"not_updated_zero_gradient_operation.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The loss depends on layers only through an operation with zero gradient, such as round or sign.",
		Evidence:        "parameters with gradients of exactly 0: {observed}, {share:%} of all elements; limit {threshold}; operations: {operations}",
	},
	{
		ID: "not_updated/parameters_in_no_optimiser", Files: []string{"not_updated_not_in_optimiser.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning, rule.Info},
		When:            "Parameters of the model get gradients, but no optimiser has them.",
		Evidence:        "parameters with gradients that are in no optimiser: {observed}, {share:%} of the elements of {model}; limit {threshold}",
	},
	{
		ID: "not_updated/module_in_no_optimiser", Files: []string{"not_updated_not_in_optimiser.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "The loss depends on modules that are in no optimiser and in no trained model.",
		Evidence: "parameters of the loss that are in no optimiser and no trained model: {observed}, limit {threshold}",
	},
	{
		ID: "not_updated/states_cut", Files: []string{"not_updated_detached_recurrent_state.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeSequences,
		When:     "The hidden state of a recurrent loop is detached at every step of a sequence.",
		Evidence: "calls of {subject} in a forward: {calls}, of which {calls_in_graph} have a part in the loss; states that are cut off: {states_cut} of {states}",
	},
	{
		ID: "not_updated/optimiser_of_another_model", Files: []string{"not_updated_stale_optimiser_parameters.go", "not_updated_not_in_optimiser.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "None of the optimiser's tensors belongs to the trained model, or ever gets a gradient.",
		Evidence: "tensors of {subject} {model?that are not of {model}|without any gradient}: {observed} of {held}, limit {threshold}",
	},
	{
		ID: "not_updated/tiny_rate", Files: []string{"not_updated_unchanged.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The learning rate is so small that rounding swallows every update.",
		Evidence: "learning rate {learning_rate}; weights that changed in {updates} updates: 0",
	},
	{
		ID: "not_updated/unchanged", Files: []string{"not_updated_unchanged.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "Weights are unchanged although they get gradients and the learning rate is not zero.",
		Evidence:        "weights that changed in {updates} updates: 0; learning rate {learning_rate}",
	},
	{
		ID: "not_updated/zero_gradients", Files: []string{"not_updated_unchanged.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Every gradient is exactly zero although the loss depends on the parameters.",
		Evidence: "parameters with a gradient other than 0: 0 of {parameters}",
	},
	{
		ID: "not_updated/zero_group", Files: []string{"not_updated_zero_learning_rate.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "Untrained layers are in a parameter group with learning rate 0, while other groups are trained.",
		Evidence: "learning rate of {parameters}: 0; {share:%} of all elements",
	},
	{
		ID: "not_updated/zero_rate", Files: []string{"not_updated_unchanged.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The learning rate is 0 and no parameter changes.",
		Evidence:        "learning rate {learning_rate}; weights that changed in {updates} updates: 0",
	},
}
