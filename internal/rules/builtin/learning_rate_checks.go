package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of learning_rate.
var learningRateChecks = []rule.Check{
	{
		ID: "learning_rate/at_guess", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "The weights have grown far beyond the usual scale, and the loss is at chance level.",
	},
	{
		ID: "learning_rate/collapsed", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopePolicyGradient,
		When: "The first steps moved all weights far away; since then gradients are nearly zero and nothing changes.",
	},
	{
		ID: "learning_rate/exploded", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The loss has grown far above its initial value and does not recover.",
	},
	{
		ID: "learning_rate/gone", Files: []string{"learning_rate_decayed_early.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The learning rate decays to almost zero long before the end of training while the loss is still high.",
	},
	{
		ID: "learning_rate/half_way", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The loss jumps, recovers only partly and stays there, and updates are too large for the weights.",
	},
	{
		ID: "learning_rate/lost", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The loss had fallen, rose again and stays far above its best, and updates are too large for the weights.",
	},
	{
		ID: "learning_rate/out_of_reach", Files: []string{"learning_rate_too_few_updates.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "All updates together change the random initial weights so little that nothing can have been learnt.",
	},
	{
		ID: "learning_rate/scattered", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "Within the first steps all weights changed by a multiple of their size, and the loss is at chance level.",
	},
	{
		ID: "learning_rate/strides", Files: []string{"learning_rate_update_size.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "One update of Adam or a variant changes elements by more than the std of the weights, and the loss stays near chance level.",
	},
	{
		ID: "learning_rate/stuck", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The weights have grown many times over and the loss is no lower than at the start.",
	},
	{
		ID: "learning_rate/thrown", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The loss jumped or rose high and has been stuck there since.",
	},
	{
		ID: "learning_rate/too_low", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The loss falls far too slowly, and no weight changes by more than a tiny share of its size per step.",
	},
	{
		ID: "learning_rate/unlearnt", Files: []string{"learning_rate_unlearnt.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "The loss of a classifier had fallen and is back at chance level.",
	},
	{
		ID: "learning_rate/warming", Files: []string{"learning_rate_warmup.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The learning rate is still being warmed up when the training ends, and the loss is still high.",
	},
	{
		ID: "learning_rate/wrong_way", Files: []string{"learning_rate_plateau_metric.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "ReduceLROnPlateau lowers the rate when its metric improves: its mode does not fit the metric.",
	},
}
