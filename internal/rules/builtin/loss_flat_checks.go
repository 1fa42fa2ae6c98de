package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of loss_flat.
var lossFlatChecks = []rule.Check{
	{
		ID: "loss_flat/constant", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When: "The loss is the same number at every step, whatever the batch.",
	},
	{
		ID: "loss_flat/guess", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"learning-rate", "data-scaling", "not-updated"},
		When:        "After many steps the loss still stands where it would if only the frequencies, or the mean, of the labels were known.",
	},
	{
		ID: "loss_flat/held_down", Files: []string{"loss_flat_shrunk_weights.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When: "The weights shrank under a strong weight decay and stand still while most of the errors are left.",
	},
	{
		ID: "loss_flat/imbalance", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "imbalance", Scope: rule.ScopeClassification,
		When: "One class makes nearly all labels, nothing weighs the others up, and the loss is that of a guess of their frequencies.",
	},
	{
		ID: "loss_flat/outweighed", Files: []string{"loss_flat_outweighed.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeAutoencoder,
		When: "What is added to the errors of an autoencoder outweighs them: the loss is that of the mean of all samples.",
	},
	{
		ID: "loss_flat/scale", Files: []string{"loss_flat_outweighed.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeAutoencoder,
		When: "An autoencoder gives the mean of all samples, and the values that it is to give back are far from a deviation of 1.",
	},
	{
		ID: "loss_flat/shrunk", Files: []string{"loss_flat_shrunk_weights.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When: "At the end no weight matrix has more than a small share of its first size left.",
	},
	{
		ID: "loss_flat/temperature", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeContrastive,
		When: "The similarities of the pairs of a batch lie so close together that cross_entropy cannot tell them apart.",
	},
}
