package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of learning_rate.
var learningRateChecks = []rule.Check{
	{
		ID: "learning_rate/at_guess", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "The weights have grown far beyond what layers are made for, and the loss stands where a guess lies.",
	},
	{
		ID: "learning_rate/collapsed", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopePolicyGradient,
		When: "The first steps threw all weights far off, and since then there is hardly any gradient and nothing moves.",
	},
	{
		ID: "learning_rate/exploded", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The loss has grown far above where it began and does not come back.",
	},
	{
		ID: "learning_rate/gone", Files: []string{"learning_rate_decayed_early.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The learning rate falls to nothing long before the end of the training while the loss is still high.",
	},
	{
		ID: "learning_rate/half_way", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The loss jumps, comes back only part of the way and stands there, and the weights show updates that are too large.",
	},
	{
		ID: "learning_rate/lost", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The loss had come down, rose again and now stands far above its best, and the weights show updates that are too large.",
	},
	{
		ID: "learning_rate/out_of_reach", Files: []string{"learning_rate_too_few_updates.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "All updates together move weights that began at random by so little that they cannot have learnt anything.",
	},
	{
		ID: "learning_rate/scattered", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "Within the first steps all weights moved by a multiple of their size, and the loss stands where a guess lies.",
	},
	{
		ID: "learning_rate/strides", Files: []string{"learning_rate_update_size.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "One update of Adam or its kin moves elements by more than the weights' own deviation, and the loss stands near a guess.",
	},
	{
		ID: "learning_rate/stuck", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The weights have grown many times over and the loss is no lower than where it began.",
	},
	{
		ID: "learning_rate/thrown", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The loss jumped or rose high and has stood there since, where nothing is learnt.",
	},
	{
		ID: "learning_rate/too_low", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The loss comes down far too slowly to arrive, and no weight moves by more than a tiny share of its size in a step.",
	},
	{
		ID: "learning_rate/unlearnt", Files: []string{"learning_rate_unlearnt.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When: "The loss of a classifier had come down and is back where a guess lies.",
	},
	{
		ID: "learning_rate/warming", Files: []string{"learning_rate_warmup.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "The learning rate is still being warmed up when the training ends, and the loss is still high.",
	},
	{
		ID: "learning_rate/wrong_way", Files: []string{"learning_rate_plateau_metric.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When: "ReduceLROnPlateau lowers the rate because its metric improves: its mode does not fit the metric.",
	},
}
