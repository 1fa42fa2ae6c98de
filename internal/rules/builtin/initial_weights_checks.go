package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of initial_weights.
var initialWeightsChecks = []rule.Check{
	{
		ID: "initial_weights/equal_weights", Files: []string{"initial_weights.go", "initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "All weights of a layer, or of all embedding tables, start with the same non-zero value, so its units stay equal.",
	},
	{
		ID: "initial_weights/frozen_zeros", Files: []string{"initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeEmbeddings,
		When: "The only embedding table is all zeros and is not trained.",
	},
	{
		ID: "initial_weights/large_table", Files: []string{"initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeEmbeddings,
		When: "The initial values of one embedding table are so much larger than those of another of the same width that the other has no effect.",
	},
	{
		ID: "initial_weights/large_weights", Files: []string{"initial_weights.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The std of a layer's initial weights is many times what is usual for its number of inputs.",
	},
	{
		ID: "initial_weights/one_sided_weights", Files: []string{"initial_weights.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The mean of a layer's initial weights is far from zero, so its inputs add up instead of cancelling out.",
	},
	{
		ID: "initial_weights/small_weights", Files: []string{"initial_weights.go", "initial_weights_too_small.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The initial weights are so far below what is usual that the signal vanishes on its way through the network.",
	},
	{
		ID: "initial_weights/zero_weights", Files: []string{"initial_weights.go", "initial_weights_embeddings.go"}, Severity: rule.Error, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "Layers, or all embedding tables, start with zeros only, so no signal gets through or nothing can learn.",
	},
}
