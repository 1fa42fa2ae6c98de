package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of loss_choice.
var lossChoiceChecks = []rule.Check{
	{
		ID: "loss_choice/classes", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		OtherSeverities: []rule.Severity{rule.Error, rule.Info},
		When:            "A regression loss compares outputs with class numbers.",
	},
	{
		ID: "loss_choice/density_scale", Files: []string{"loss_choice_gaussian_nll.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeDensity,
		When: "The predicted scale reduces both the error and the remaining term of the likelihood, so nothing limits it.",
	},
	{
		ID: "loss_choice/density_sign", Files: []string{"loss_choice_gaussian_nll.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeDensity,
		When: "The log-likelihood is minimised instead of its negative.",
	},
	{
		ID: "loss_choice/nothing_apart", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeContrastive,
		When: "The loss only pulls two outputs of one network together, and nothing pushes those of different samples apart.",
	},
	{
		ID: "loss_choice/one_axis", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "cross_entropy gets 1-D outputs and labels and treats the samples as the classes of one sample.",
	},
	{
		ID: "loss_choice/one_class", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "cross_entropy or a similar loss gets predictions for a single class.",
	},
	{
		ID: "loss_choice/outweighed", Files: []string{"loss_choice_class_weights.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "Through the class weights one class makes up nearly all of the loss although most labels are of others.",
	},
	{
		ID: "loss_choice/overlap_sign", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeImages,
		When: "The loss grows with the overlap (Dice, IoU) of predictions and labels.",
	},
	{
		ID: "loss_choice/prior_sign", Files: []string{"loss_choice_vae_kl_divergence.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeAutoencoder,
		When: "The KL divergence of the latent code from its prior is maximised instead of minimised.",
	},
	{
		ID: "loss_choice/several_classes", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "cross_entropy gets labels that name several classes per sample (multi-label targets).",
	},
	{
		ID: "loss_choice/two_classes", Files: []string{"loss_choice.go"}, Severity: rule.Info, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "A regression loss compares a sigmoid with labels 0 and 1.",
	},
	{
		ID: "loss_choice/values", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeRegression,
		When: "A classification loss, or a binary one, gets labels that are not probabilities.",
	},
	{
		ID: "loss_choice/weights", Files: []string{"loss_choice_class_weights.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "The class weights are inverted: frequent classes weigh more than rare ones.",
	},
}
