package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of learning_rate.
var learningRateChecks = []rule.Check{
	{
		ID: "learning_rate/weights_grown", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When:     "The weights have grown far beyond the usual scale, and the loss is at chance level.",
		Evidence: "weights grew {observed:times} times, limit {threshold} times; {grown_most} grew most",
	},
	{
		ID: "learning_rate/collapsed", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopePolicyGradient,
		When:     "The first steps moved all weights far away; since then gradients are nearly zero and nothing changes.",
		Evidence: "weights grew {observed:times} times, limit {threshold} times; {grown_most} grew most",
	},
	{
		ID: "learning_rate/exploded", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The loss has grown far above its initial value and does not recover.",
		Evidence: "loss {observed:times} times its start of {start}, limit {threshold} times{largest_update?; largest change of the weights in one update {largest_update:%}}",
	},
	{
		ID: "learning_rate/decayed_early", Files: []string{"learning_rate_decayed_early.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The learning rate decays to almost zero long before the end of training while the loss is still high.",
		Evidence: "change of the weights: {observed} of what it was, lower limit {threshold}; {last} of their size after step {stopped}, {most} before",
	},
	{
		ID: "learning_rate/loss_recovered_partly", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The loss jumps, recovers only partly and stays there, and updates are too large for the weights.",
		Evidence: "loss rose to {peak}, {observed:times} times its start of {start}, limit {threshold} times{largest_update?; largest change of the weights in one update {largest_update:%}}",
	},
	{
		ID: "learning_rate/loss_rose_again", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "The loss had fallen, rose again and stays far above its best, and updates are too large for the weights.",
		Evidence:        "loss {observed:times} times its lowest level, limit {threshold} times{largest_update?; largest change of the weights in one update {largest_update:%}}",
	},
	{
		ID: "learning_rate/weights_hardly_moved", Files: []string{"learning_rate_too_few_updates.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "All updates together change the random initial weights so little that nothing can have been learnt.",
		Evidence: "all updates together change an element of the weights by {observed:%} of their standard deviation, lower limit {threshold:%}",
	},
	{
		ID: "learning_rate/large_first_updates", Files: []string{"learning_rate_weights_thrown_far.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When:     "Within the first steps all weights changed by a multiple of their size, and the loss is at chance level.",
		Evidence: "weights grew {observed:times} times, limit {threshold} times; {grown_most} grew most",
	},
	{
		ID: "learning_rate/large_updates", Files: []string{"learning_rate_update_size.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When:     "One update of Adam or a variant changes elements by more than the std of the weights, and the loss stays near chance level.",
		Evidence: "one update changes an element of the weights by {observed:times} times their initial standard deviation, limit {threshold} times",
	},
	{
		ID: "learning_rate/stuck", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The weights have grown many times over and the loss is no lower than at the start.",
		Evidence:        "weights grew {observed:times} times, limit {threshold} times; {grown_most} grew most",
	},
	{
		ID: "learning_rate/loss_stuck_high", Files: []string{"learning_rate.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The loss jumped or rose high and has been stuck there since.",
		Evidence:        "loss rose to {observed:times} times its start of {start}, limit {threshold} times{largest_update?; largest change of the weights in one update {largest_update:%}}",
	},
	{
		ID: "learning_rate/too_low", Files: []string{"learning_rate.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The loss falls far too slowly, and no weight changes by more than a tiny share of its size per step.",
		Evidence: "largest change of the weights in one step: {observed} of their size, lower limit {threshold}; loss {first_mean} first, {last_mean} last",
	},
	{
		ID: "learning_rate/unlearnt", Files: []string{"learning_rate_unlearnt.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeClassification,
		When:     "The loss of a classifier had fallen and is back at chance level.",
		Evidence: "loss {observed:times} times its lowest level, limit {threshold} times{largest_update?; largest change of the weights in one update {largest_update:%}}",
	},
	{
		ID: "learning_rate/warm_up_unfinished", Files: []string{"learning_rate_warmup.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The learning rate is still being warmed up when the training ends, and the loss is still high.",
		Evidence: "learning rate {observed} at the end, lower limit {threshold}; the warm-up leads to {initial}",
	},
	{
		ID: "learning_rate/wrong_plateau_mode", Files: []string{"learning_rate_plateau_metric.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "ReduceLROnPlateau lowers the rate when its metric improves: its mode does not fit the metric.",
		Evidence: "reductions of the rate right after a new best value: {observed}, limit {threshold}; mode {mode}",
	},
}
