package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of loss_flat.
var lossFlatChecks = []rule.Check{
	{
		ID: "loss_flat/constant", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "The loss is the same number at every step, whatever the batch.",
		Evidence: "loss at each step: {observed}",
	},
	{
		ID: "loss_flat/chance_level", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"learning-rate", "data-scaling", "not-updated"},
		When:        "After many steps the loss is still at the baseline: that of a predictor which knows only the frequencies, or the mean, of the labels.",
		Evidence:    "mean loss of the last quarter {observed}, limit {threshold}; guessing without the inputs gives {guess}",
	},
	{
		ID: "loss_flat/held_by_weight_decay", Files: []string{"loss_flat_shrunk_weights.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When:     "The weights shrank under strong weight decay and no longer change while most of the error remains.",
		Evidence: "size of the weights: {observed:%} of the initial one, limit {threshold:%}; loss {last_mean}, chance level {guess}",
	},
	{
		ID: "loss_flat/imbalance", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "imbalance", Scope: rule.ScopeClassification,
		When:     "Nearly all labels are of one class, without class weights, and the loss is that of the label-frequency baseline.",
		Evidence: "labels that are not of the most frequent class: {observed:%} of {labels}, limit {threshold:%}",
	},
	{
		ID: "loss_flat/reconstruction_outweighed", Files: []string{"loss_flat_outweighed.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeAutoencoder,
		When:     "A term added to an autoencoder's reconstruction error outweighs it: the loss is that of the mean of all samples.",
		Evidence: "loss below that of a constant predictor ({guess}) by {observed:%}, limit {threshold:%}; loss {last_mean}",
	},
	{
		ID: "loss_flat/target_scale", Files: []string{"loss_flat_outweighed.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeAutoencoder,
		When:     "An autoencoder outputs the mean of all samples, and the std of its targets is far from 1.",
		Evidence: "standard deviation of the targets {observed}, limit {threshold}; loss {last_mean}, constant predictor {guess}",
	},
	{
		ID: "loss_flat/shrunk", Files: []string{"loss_flat_shrunk_weights.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When:     "At the end every weight matrix has shrunk to a small share of its initial size.",
		Evidence: "size of the weights: at most {observed:%} of the initial one, limit {threshold:%}",
	},
	{
		ID: "loss_flat/temperature", Files: []string{"loss_flat.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeContrastive,
		When:     "The similarities of the pairs of a batch are so close together that cross_entropy cannot separate them.",
		Evidence: "largest difference of similarities {observed}, lower limit {threshold}; loss {last_mean}, chance level {uniform_guess}",
	},
}
