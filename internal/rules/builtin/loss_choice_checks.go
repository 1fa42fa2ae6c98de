package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of loss_choice.
var lossChoiceChecks = []rule.Check{
	{
		ID: "loss_choice/classes", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		OtherSeverities: []rule.Severity{rule.Error, rule.Info},
		When:            "A loss for values compares outputs with the numbers of classes.",
	},
	{
		ID: "loss_choice/density_scale", Files: []string{"loss_choice_gaussian_nll.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeDensity,
		When: "The scale that the network gives makes both the errors and the rest of the likelihood smaller, so that nothing holds it.",
	},
	{
		ID: "loss_choice/density_sign", Files: []string{"loss_choice_gaussian_nll.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeDensity,
		When: "The logarithm of a density is minimised in place of its negative.",
	},
	{
		ID: "loss_choice/nothing_apart", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeContrastive,
		When: "The loss only draws two outputs of one network together, and nothing keeps those of different samples apart.",
	},
	{
		ID: "loss_choice/one_axis", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "Cross_entropy gets outputs and labels with one axis only and takes the samples for the classes of one.",
	},
	{
		ID: "loss_choice/one_class", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "Cross_entropy or its kin gets predictions over a single class.",
	},
	{
		ID: "loss_choice/outweighed", Files: []string{"loss_choice_class_weights.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "The class weights let one class make nearly all of the loss although most labels are of others.",
	},
	{
		ID: "loss_choice/overlap_sign", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeImages,
		When: "The loss grows with the overlap (Dice, IoU) of predictions and labels.",
	},
	{
		ID: "loss_choice/prior_sign", Files: []string{"loss_choice_vae_kl_divergence.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeAutoencoder,
		When: "The divergence of the code from its prior is made larger instead of smaller.",
	},
	{
		ID: "loss_choice/several_classes", Files: []string{"loss_choice.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "Cross_entropy gets labels that name several classes at once.",
	},
	{
		ID: "loss_choice/two_classes", Files: []string{"loss_choice.go"}, Severity: rule.Info, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "A loss for values compares a sigmoid with labels of 0 and 1.",
	},
	{
		ID: "loss_choice/values", Files: []string{"loss_choice.go"}, Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeRegression,
		When: "A loss for classes, or for yes and no, gets labels that are no probabilities.",
	},
	{
		ID: "loss_choice/weights", Files: []string{"loss_choice_class_weights.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "The weights of classes are upside down: frequent classes weigh more than rare ones.",
	},
}
