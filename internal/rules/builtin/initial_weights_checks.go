package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of initial_weights.
var initialWeightsChecks = []rule.Check{
	{
		ID: "initial_weights/equal_weights", Files: []string{"initial_weights.go", "initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "All weights of a layer, or of all tables of embeddings, begin with one value that is not zero, so that its units stay alike.",
	},
	{
		ID: "initial_weights/frozen_zeros", Files: []string{"initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeEmbeddings,
		When: "The only table of embeddings is all zeros and is not trained.",
	},
	{
		ID: "initial_weights/large_table", Files: []string{"initial_weights_embeddings.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeEmbeddings,
		When: "The entries of one table of embeddings begin so much larger than those of another of the same width that the other is not seen.",
	},
	{
		ID: "initial_weights/large_weights", Files: []string{"initial_weights.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The weights of a layer begin with a deviation many times what is usual for its number of inputs.",
	},
	{
		ID: "initial_weights/one_sided_weights", Files: []string{"initial_weights.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The weights of a layer begin around a mean far from zero, so that its inputs add up instead of balancing.",
	},
	{
		ID: "initial_weights/small_weights", Files: []string{"initial_weights.go", "initial_weights_too_small.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The weights of layers begin so far below what is usual that the signal fades on its way through the network.",
	},
	{
		ID: "initial_weights/zero_weights", Files: []string{"initial_weights.go", "initial_weights_embeddings.go"}, Severity: rule.Error, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "Layers, or all tables of embeddings, begin with zeros only, so that nothing gets through or nothing can move.",
	},
}
