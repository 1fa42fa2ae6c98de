package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of loss_choice.
var lossChoiceChecks = []rule.Check{
	{
		ID: "loss_choice/regression_of_classes", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		OtherSeverities: []rule.Severity{rule.Error, rule.Info},
		When:            "A regression loss compares outputs with class numbers.",
		Evidence:        "classes whose numbers {loss} compares as values: {observed}, limit 0; outputs {predictions:shape}",
	},
	{
		ID: "loss_choice/density_scale", Files: []string{"loss_choice_gaussian_nll.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeDensity,
		When:     "The predicted scale reduces both the error and the remaining term of the likelihood, so nothing limits it.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "loss_choice/density_sign", Files: []string{"loss_choice_gaussian_nll.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeDensity,
		When:     "The log-likelihood is minimised instead of its negative.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "loss_choice/nothing_pushes_apart", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeContrastive,
		When:     "The loss only pulls two outputs of one network together, and nothing pushes those of different samples apart.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "loss_choice/samples_as_classes", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "cross_entropy gets 1-D outputs and labels and treats the samples as the classes of one sample.",
		Evidence: "predictions {predictions:shape}: 1 axis, right are 2",
	},
	{
		ID: "loss_choice/one_class", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "cross_entropy or a similar loss gets predictions for a single class.",
		Evidence: "predictions {predictions:shape}: 1 class, lower limit 2",
	},
	{
		ID: "loss_choice/one_class_outweighs", Files: []string{"loss_choice_class_weights.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "Through the class weights one class makes up nearly all of the loss although most labels are of others.",
		Evidence: "share of one class in the loss: {observed:%}, limit {threshold:%}; classes {labels_range:range}",
	},
	{
		ID: "loss_choice/overlap_sign", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeImages,
		When:     "The loss grows with the overlap (Dice, IoU) of predictions and labels.",
		Evidence: "operations from the outputs to the loss: {graph:back}",
	},
	{
		ID: "loss_choice/prior_sign", Files: []string{"loss_choice_vae_kl_divergence.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeAutoencoder,
		When:     "The KL divergence of the latent code from its prior is maximised instead of minimised.",
		Evidence: "sign of the KL divergence in the loss: minus, right is plus",
	},
	{
		ID: "loss_choice/several_classes", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "cross_entropy gets labels that name several classes per sample (multi-label targets).",
		Evidence: "classes of a sample, on average: {observed}, right is {threshold}; predictions {predictions:shape}",
	},
	{
		ID: "loss_choice/regression_of_two_classes", Files: []string{"loss_choice.go"}, Severity: rule.Info, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "A regression loss compares a sigmoid with labels 0 and 1.",
		Evidence: "labels 0 and 1, predictions {predictions:shape} of a sigmoid, loss {loss}",
	},
	{
		ID: "loss_choice/labels_not_probabilities", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeRegression,
		When:     "A classification loss, or a binary one, gets labels that are not probabilities.",
		Evidence: "labels from {labels_range:range}, given to {loss}",
	},
	{
		ID: "loss_choice/class_weights_inverted", Files: []string{"loss_choice_class_weights.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "The class weights are inverted: frequent classes weigh more than rare ones.",
		Evidence: "{ratio?weight of the most frequent class for one of the rarest: {ratio:times}, limit {threshold:times}|weight of positive labels {observed}, limit {threshold}; {positive:%} of the labels are positive}",
	},
}
