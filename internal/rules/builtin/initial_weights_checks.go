package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of initial_weights.
var initialWeightsChecks = []rule.Check{
	{
		ID: "initial_weights/equal_weights", Files: []string{"initial_weights.go", "initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "All weights of a layer, or of all embedding tables, start with the same non-zero value, so its units stay equal.",
		Evidence:        "{layers?layers|tables} whose initial values are all the same: {observed}, limit 0; {layers?{layers}|{tables}}",
	},
	{
		ID: "initial_weights/frozen_zeros", Files: []string{"initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeEmbeddings,
		When:     "The only embedding table is all zeros and is not trained.",
		Evidence: "standard deviation of {parameter}: {observed}; {trained?trained|not trained}",
	},
	{
		ID: "initial_weights/large_table", Files: []string{"initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeEmbeddings,
		When:     "The initial values of one embedding table are so much larger than those of another of the same width that the other has no effect.",
		Evidence: "initial standard deviation of {parameter}: {observed}, limit {threshold}",
	},
	{
		ID: "initial_weights/large_weights", Files: []string{"initial_weights.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The std of a layer's initial weights is many times what is usual for its number of inputs.",
		Evidence:        "{subject}: initial standard deviation times the root of its {inputs} inputs is {observed}, limit {threshold}; standard deviation {deviation}",
	},
	{
		ID: "initial_weights/nothing_loaded", Files: []string{"initial_weights_nothing_loaded.go"}, Severity: rule.Error, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "load_state_dict(strict=False) was given tensors, none of which has a name of the module, and the weights of the module are those from before that call.",
		Evidence:        "{observed} of {given} tensors were loaded into {subject}, which has names such as {absent}; given were {unexpected}",
	},
	{
		ID: "initial_weights/one_sided_weights", Files: []string{"initial_weights.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The mean of a layer's initial weights is far from zero, so its inputs add up instead of cancelling out.",
		Evidence:        "{subject}: initial mean times its {inputs} inputs is {observed}, limit {threshold}; mean {mean}",
	},
	{
		ID: "initial_weights/small_weights", Files: []string{"initial_weights.go", "initial_weights_too_small.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The initial weights are so far below what is usual that the signal vanishes on its way through the network.",
		Evidence:        "{subject}: initial standard deviation times the root of its {inputs} inputs is {observed}, lower limit {threshold}; standard deviation {deviation}",
	},
	{
		ID: "initial_weights/zero_weights", Files: []string{"initial_weights.go", "initial_weights_embeddings.go"}, Severity: rule.Error, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "Layers, or all embedding tables, start with zeros only, so no signal gets through or nothing can learn.",
		Evidence:        "{layers?layers|tables} that begin with zeros: {observed}, limit 0; {layers?{layers}|{tables}}{stuck?; unchanged since: {stuck}}",
	},
}
