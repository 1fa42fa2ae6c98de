package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of rules that have few, by name of the rule. Those of a rule with
// many stand in a file of its own, RULE_checks.go.

var accuracyDropChecks = []rule.Check{
	{
		ID: "accuracy_drop/drop", Files: []string{"accuracy_drop.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeClassification,
		When:     "The validation accuracy is below `previous_accuracy` by more than `threshold`.",
		Evidence: "accuracy {accuracy}, lower limit {threshold}; it was {previous_accuracy} before; {right} of {labels} labels right",
	},
}

var allZeroChecks = []rule.Check{
	{
		ID: "all_zero/zeros", Files: []string{"all_zero.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "At least `threshold` per cent of a tensor's values are zero at a captured step.",
		Evidence: "{zeros} of {size} values of {subject} are zero: {observed} %, limit {threshold} %",
	},
}

var checkInputImagesChecks = []rule.Check{
	{
		ID: "check_input_images/mean", Files: []string{"check_input_images.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeImages,
		When:     "The mean of the images over all channels is further from zero than `threshold_mean`.",
		Evidence: "mean of {images} images in {tensor}: {observed}, limit {threshold} from 0",
	},
	{
		ID: "check_input_images/std", Files: []string{"check_input_images.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeImages,
		When:     "The standard deviation of the images differs from one by more than `threshold_std`.",
		Evidence: "standard deviation of {images} images in {tensor}: {observed}, limit {threshold} from 1",
	},
}

var classImbalanceChecks = []rule.Check{
	{
		ID: "class_imbalance/imbalance", Files: []string{"class_imbalance.go"}, Severity: rule.Warning, CauseClass: "imbalance", Scope: rule.ScopeClassification,
		When:     "The most frequent class has more labels than the rarest by a factor above `threshold_imbalance`.",
		Evidence: "labels of the most frequent class for one of {subject}: {ratio:times}, limit {threshold:times}; {labels} labels of {classes} classes",
	},
	{
		ID: "class_imbalance/misprediction", Files: []string{"class_imbalance.go"}, Severity: rule.Warning, CauseClass: "imbalance", Scope: rule.ScopeClassification,
		When:     "A class is predicted wrongly for more than the share `threshold_misprediction` of its labels.",
		Evidence: "labels of {subject} that are predicted wrongly: {observed:%}, limit {threshold:%}",
	},
}

var alwaysClippedChecks = []rule.Check{
	{
		ID: "clipping/always_clipped", Files: []string{"clipping.go"}, Severity: rule.Info, CauseClass: "optimizer", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "Gradients five times as long as the limit, or longer, are clipped at every one of the first updates; it is a warning where updates hardly change the weights, or gradients were clipped before they were unscaled.",
		Evidence:        "{norm_of_update?clipped to norm {max_norm}, used with norm {norm_of_update}: {observed:times} times less, limit {threshold} times|{by_value?largest value|norm} of the gradients {norm}, {observed:times} times the clipping limit {max_norm}; limit {threshold:times} times{movement?; updates change the weights by {movement}}}",
	},
}

var confusionChecks = []rule.Check{
	{
		ID: "confusion/diag", Files: []string{"confusion.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeClassification,
		When:     "The share of a class's samples that are predicted as that class is below `min_diag`.",
		Evidence: "share of {subject} that is right: {observed:%}, lower limit {threshold:%}",
	},
	{
		ID: "confusion/off_diag", Files: []string{"confusion.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeClassification,
		When:     "The share of a class's samples that are predicted as one other class is above `max_off_diag`.",
		Evidence: "confusion, {subject}: {observed:%}, limit {threshold:%}",
	},
}

var deadReluChecks = []rule.Check{
	{
		ID: "dead_relu/layer", Files: []string{"dead_relu.go"}, Severity: rule.Error, CauseClass: "activation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info}, OtherCauses: []string{"learning-rate"},
		When:     "More than `threshold_layer` per cent of a ReLU layer's units output zero for nearly all samples, at several analysed steps in a row.",
		Evidence: "{dead} of {units} units of {subject} are dead: {observed} %, limit {threshold} %{alive_before?, since step {since_mode_step}}; samples of each: {samples_per_unit}",
	},
}

var explodingTensorChecks = []rule.Check{
	{
		ID: "exploding_tensor/growth", Files: []string{"divergence.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "At least half of the weight matrices have grown tenfold since the start, at several analysed steps, and the loss is above its initial value.",
		Evidence: "{subject} grew {observed:times} times since step {began}, limit {threshold} times; weights that grew so much: {grown} of {weights}",
	},
	{
		ID: "exploding_tensor/non_finite", Files: []string{"exploding_tensor.go"}, Severity: rule.Error, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		When:     "A captured tensor contains NaN or infinity.",
		Evidence: "{observed} of {size} values of {subject} are not finite: {nan} NaN, {pinf} +infinity, {ninf} -infinity; limit 0",
	},
}

var featureImportanceOverweightChecks = []rule.Check{
	{
		ID: "feature_importance_overweight/overweight", Files: []string{"feature_importance_overweight.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeBoosting,
		When:     "The `nfeatures` most important features have more than `threshold` per cent of the importance of all.",
		Evidence: "importance ({type}) of the first {top} features together: {observed:%}, limit {threshold:%}",
	},
}

var gradientClippingChecks = []rule.Check{
	{
		ID: "gradient_clipping/always_clipped", Files: []string{"gradient_clipping.go"}, Severity: rule.Warning, CauseClass: "optimizer", Scope: rule.ScopeGeneral,
		When:     "The global gradient norm reaches `max_norm` at `threshold_percent` per cent or more of the last saved steps.",
		Evidence: "saved steps at which the gradient norm reaches the clipping limit: {observed} %, limit {threshold} %; norm at the last one {norm}",
	},
	{
		ID: "gradient_clipping/spike", Files: []string{"gradient_clipping.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeGeneral,
		When:     "The global gradient norm is many times its median over the preceding saved steps.",
		Evidence: "gradient norm {observed}, limit {threshold}, a multiple of its median; largest in {largest_tensor}: {largest_tensor_norm}",
	},
}

var inputDriftChecks = []rule.Check{
	{
		ID: "input_drift/drift", Files: []string{"input_drift.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeGeneral,
		When:     "The Jensen-Shannon distance between two distributions of an input, of two runs or of training and evaluation, is above `threshold`.",
		Evidence: "Jensen-Shannon distance of {subject}: {observed}, limit {threshold}; {elements} values, {reference_elements} to compare with{other_trial? in run {other_trial}}",
	},
}

var lossSpikeChecks = []rule.Check{
	{
		ID: "loss_spike/spike", Files: []string{"loss_spike.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info}, OtherCauses: []string{"unknown"},
		When:     "The loss spikes far above its noise and stays there for a while; it is a warning where the weights grow with it.",
		Evidence: "loss rose to {peak}, {observed:times} times {before}, its median before; limit {threshold} times",
	},
}

var lowFeatureImportanceChecks = []rule.Check{
	{
		ID: "low_feature_importance/low", Files: []string{"low_feature_importance.go"}, Severity: rule.Info, CauseClass: "structure", Scope: rule.ScopeBoosting,
		When:     "More than `threshold` per cent of the features have less than `min_share_percent` of the importance.",
		Evidence: "features of little importance ({type}): {low} of {features}, {observed} %, limit {threshold} %",
	},
}

var nlpSequenceRatioChecks = []rule.Check{
	{
		ID: "nlp_sequence_ratio/token", Files: []string{"nlp_sequence_ratio.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeSequences,
		When:     "The share of a token among the input's tokens is above its `token_thresholds_percent`.",
		Evidence: "{count} of {size} tokens are token {token}: {observed} %, limit {threshold} %",
	},
}

var notFiniteChecks = []rule.Check{
	{
		ID: "not_finite/first_non_finite", Files: []string{"not_finite.go"}, Severity: rule.Error, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"learning-rate"},
		When:        "A loss, weight or gradient became NaN or infinite, and not only at a step that a loss scaler skips.",
		Evidence:    "values of {subject} that are not finite: {observed} of {size}, limit {threshold}",
	},
}

var overtrainingChecks = []rule.Check{
	{
		ID: "overtraining/no_improvement", Files: []string{"overtraining.go"}, Severity: rule.Warning, CauseClass: "epochs", Scope: rule.ScopeGeneral,
		When:     "Neither the training nor the validation loss has improved for longer than its patience.",
		Evidence: "{unit} since the {series} loss was best: {observed}, limit {threshold}",
	},
}

var paddingChecks = []rule.Check{
	{
		ID: "padding/labels", Files: []string{"padding.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeSequences,
		When:     "Most of the labels that the loss counts are padding.",
		Evidence: "labels that are padding: {observed:%} of {labels}, limit {threshold:%}",
	},
	{
		ID: "padding/share", Files: []string{"padding.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeSequences,
		When:     "Most of the model's input tokens are padding.",
		Evidence: "tokens that are padding: {observed:%} of {tokens}, limit {threshold:%}",
	},
	{
		ID: "padding/state", Files: []string{"padding.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeSequences,
		When:     "The loss uses the last state of a recurrent layer after so much padding that it no longer depends on the sequence.",
		Evidence: "difference between samples that is left after {padding} of {length} positions of padding: {observed}, lower limit {threshold}",
	},
}

var poorWeightInitializationChecks = []rule.Check{
	{
		ID: "poor_weight_initialization/gradient_spread", Files: []string{"poor_weight_initialization.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		When:     "The central 90 per cent of a gradient's values are in a range narrower than `distribution_range`.",
		Evidence: "central 90 % of the values of {subject}: {observed} wide, from {p5} to {p95}; lower limit {threshold}",
	},
	{
		ID: "poor_weight_initialization/loss_not_starting", Files: []string{"poor_weight_initialization.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"non-finite"},
		When:        "The loss does not start to fall within `patience` steps, or is not finite.",
		Evidence:    "{non_finite?loss {observed}, right is a finite number|analysed steps without a lower loss: {observed}, limit {threshold}; lowest loss {lowest}}",
	},
	{
		ID: "poor_weight_initialization/variance_spread", Files: []string{"poor_weight_initialization.go"}, Severity: rule.Warning, CauseClass: "initialisation", Scope: rule.ScopeGeneral,
		When:     "The variances of the activation inputs of two layers differ by a factor above `threshold`.",
		Evidence: "{smallest_variance?variance {largest_variance} of {largest} for {smallest_variance} of {smallest}: {observed:times} times, limit {threshold} times|variance of {smallest}: 0; largest variance of an activation input: {largest_variance}}",
	},
}

var ranksDivergeChecks = []rule.Check{
	{
		ID: "ranks_diverge/weights_diverged", Files: []string{"ranks_diverge.go"}, Severity: rule.Error, CauseClass: "ranks", Scope: rule.ScopeDistributed,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The ranks had the same weights and now have different ones.",
		Evidence:        "weight norm {lowest_value} on {lowest}, {highest_value} on {highest}: {observed:%} apart, limit {threshold:%}",
	},
	{
		ID: "ranks_diverge/never_equal", Files: []string{"ranks_diverge.go"}, Severity: rule.Info, CauseClass: "ranks", Scope: rule.ScopeDistributed,
		When:     "The ranks have different weights from the start.",
		Evidence: "weight norm {lowest_value} on {lowest}, {highest_value} on {highest}: {observed:%} apart, limit {threshold:%}",
	},
	{
		ID: "ranks_diverge/same_gradients", Files: []string{"ranks_diverge.go"}, Severity: rule.Error, CauseClass: "ranks", Scope: rule.ScopeDistributed,
		When:     "The ranks use the same gradients for weights that were never equal.",
		Evidence: "weight norm {lowest_value} on {lowest}, {highest_value} on {highest}: {observed:%} apart, limit {threshold:%}",
	},
}

var regularisationChecks = []rule.Check{
	{
		ID: "regularisation/dropout", Files: []string{"regularisation.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Error},
		When:            "Dropout sets so many values to zero, at one place or along the network, that little signal is left.",
		Evidence:        "{places?places in a row with strong dropout: {places}, limit {threshold}; each drops at least {least:%}|values that dropout sets to 0: {observed:%}, limit {threshold:%}}",
	},
	{
		ID: "regularisation/penalty", Files: []string{"regularisation.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When:     "The gradient of a weight penalty that the script adds to its loss outweighs the rest.",
		Evidence: "factor of the weight penalty {observed}, limit {threshold}; norm of its gradient {share:%} of that of the whole loss",
	},
	{
		ID: "regularisation/weight_decay", Files: []string{"regularisation.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeGeneral,
		When:     "Weight decay removes a large share of every weight at each update, or outweighs the gradient of the loss.",
		Evidence: "{removed?weights that each update removes: {removed:%}, limit {threshold:%}; weight decay {weight_decay}, learning rate {learning_rate}|weight decay {observed}, limit {threshold}{against_gradients?; its gradient is {against_gradients:times} times that of the loss}}",
	},
}

var sameBatchesChecks = []rule.Check{
	{
		ID: "same_batches/equal_samples", Files: []string{"same_batches.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeGeneral,
		When:     "All samples are identical although their labels differ.",
		Evidence: "different samples in a batch: {observed}; input {shape:shape}",
	},
	{
		ID: "same_batches/one_batch", Files: []string{"same_batches.go"}, Severity: rule.Info, CauseClass: "data-loading", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The same batch is used at each of the first steps; it is a warning where there is more data than that batch.",
		Evidence:        "different batches: {observed}; input {shape:shape}",
	},
}

var saturatedActivationChecks = []rule.Check{
	{
		ID: "saturated_activation/layer", Files: []string{"saturated_activation.go"}, Severity: rule.Warning, CauseClass: "activation", Scope: rule.ScopeGeneral,
		When:     "More than `threshold_layer` per cent of a tanh or sigmoid layer's units are saturated.",
		Evidence: "{saturated} of {units} units of {subject} are saturated: {observed} %, limit {threshold} %; samples of each: {samples_per_unit}",
	},
}

var similarAcrossRunsChecks = []rule.Check{
	{
		ID: "similar_across_runs/shape", Files: []string{"similar_across_runs.go"}, Severity: rule.Warning, CauseClass: "unknown", Scope: rule.ScopeGeneral,
		When:     "A tensor's shape, or its number of values, differs from the run it is compared with.",
		Evidence: "{from_statistics?{statistic} of {subject}: {value} here, {other_value} in the other run|shape of {subject}: {shape:shape} here, {other_shape:shape} in the other run}",
	},
	{
		ID: "similar_across_runs/value", Files: []string{"similar_across_runs.go"}, Severity: rule.Warning, CauseClass: "unknown", Scope: rule.ScopeGeneral,
		When:     "The values of a tensor or a scalar differ from the run it is compared with.",
		Evidence: "{differing_share?values of {subject} that differ: {differing_share:%} of {size}, by up to {max_abs_diff}|{from_statistics?{statistic}|value} of {subject}: {value} here, {other_value} in the other run{from_statistics?{limit?; limit of the difference {limit}}|; difference {observed}, limit {threshold}}}",
	},
}

var stalledTrainingChecks = []rule.Check{
	{
		ID: "stalled_training_rule/silence", Files: []string{"stalled_training.go"}, Severity: rule.Error, CauseClass: "hardware", Scope: rule.ScopeGeneral,
		When:     "There was no step for longer than `threshold` seconds.",
		Evidence: "time without a step: {observed:seconds}, limit {threshold:seconds}; last step {last_step}",
	},
}

var tensorVarianceChecks = []rule.Check{
	{
		ID: "tensor_variance/high", Files: []string{"tensor_variance.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "The variance of a tensor is above `max_threshold`.",
		Evidence: "variance of {subject}: {observed}, limit {threshold}",
	},
	{
		ID: "tensor_variance/low", Files: []string{"tensor_variance.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "The variance of a tensor is below `min_threshold`.",
		Evidence: "variance of {subject}: {observed}, lower limit {threshold}",
	},
}

var tooFewUpdatesChecks = []rule.Check{
	{
		ID: "too_few_updates/still_falling", Files: []string{"too_few_updates.go"}, Severity: rule.Info, CauseClass: "epochs", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Warning},
		When:            "The job ended while the loss was still falling steeply.",
		Evidence:        "{little?loss fell by {observed}, lower limit {threshold}; from {first} to {last_mean} in {updates} updates|fall that was still to come: {observed:%} of the loss, limit {threshold:%}; loss {last_mean} after {updates} updates}",
	},
	{
		ID: "too_few_updates/rounds_unused", Files: []string{"boosting_unused.go"}, Severity: rule.Warning, CauseClass: "epochs", Scope: rule.ScopeBoosting,
		When:     "The number of rounds was given among the parameters of the booster, which does not know it, fewer rounds were trained, and the loss was still falling at the end.",
		Evidence: "{rounds} rounds, {asked} were asked for by {subject}",
	},
	{
		ID: "too_few_updates/stopping_unused", Files: []string{"boosting_unused.go"}, Severity: rule.Warning, CauseClass: "epochs", Scope: rule.ScopeBoosting,
		When:     "Early stopping was given among the parameters of the booster, which does not know it.",
		Evidence: "{rounds} rounds; {subject} has no effect",
	},
	{
		ID: "too_few_updates/parameters_unused", Files: []string{"boosting_unused.go"}, Severity: rule.Info, CauseClass: "structure", Scope: rule.ScopeBoosting,
		When:     "XGBoost does not know parameters that it was given.",
		Evidence: "{observed} parameters that are not used: {parameters}",
	},
}

var treeDepthChecks = []rule.Check{
	{
		ID: "tree_depth/depth", Files: []string{"tree_depth.go"}, Severity: rule.Warning, CauseClass: "regularisation", Scope: rule.ScopeBoosting,
		When:     "A tree is deeper than `depth`.",
		Evidence: "depth of {subject}: {observed} levels, limit {threshold}",
	},
}

var unchangedTensorChecks = []rule.Check{
	{
		ID: "unchanged_tensor/unchanged", Files: []string{"unchanged_tensor.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "The last `num_steps` saved values of a tensor agree within the tolerances.",
		Evidence: "{subject} changed by at most {max_abs_diff} since step {since_mode_step}; limit {threshold}, and {rtol} of a value",
	},
}

var underfitChecks = []rule.Check{
	{
		ID: "underfit/stands_still_high", Files: []string{"underfit.go"}, Severity: rule.Warning, CauseClass: "structure", Scope: rule.ScopeGeneral,
		When:     "Training and validation loss are both flat while they are still high.",
		Evidence: "training loss {training}, limit {threshold}; validation loss {validation}; largest fall {largest_fall_percent} %",
	},
}

var updateGradientMismatchChecks = []rule.Check{
	{
		ID: "update_gradient_mismatch/too_large", Files: []string{"update_gradient_mismatch.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The updates of most weights are more than `large` times as large as their gradients.",
		Evidence: "largest ratio of update to gradient from step {from_mode_step} on: {largest_ratio:times}, limit {threshold}; median {median_ratio:times}, weights looked at: {weights}",
	},
	{
		ID: "update_gradient_mismatch/too_small", Files: []string{"update_gradient_mismatch.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The updates of most weights are less than `small` times as large as their gradients.",
		Evidence: "smallest ratio of update to gradient from step {from_mode_step} on: {smallest_ratio}, lower limit {threshold}; median {median_ratio}, weights looked at: {weights}",
	},
}

var vanishingGradientChecks = []rule.Check{
	{
		ID: "vanishing_gradient/profile", Files: []string{"vanishing_profile.go"}, Severity: rule.Error, CauseClass: "activation", Scope: rule.ScopeGeneral,
		When:     "The gradients of the early layers are thousands of times smaller than the largest from the start, and the loss has not fallen.",
		Evidence: "mean magnitude of {subject}: {mean_abs_gradient}; of {largest}: {largest_mean_abs_gradient}; ratio {observed}, lower limit {threshold}; so since step {since_mode_step}",
	},
	{
		ID: "vanishing_gradient/threshold", Files: []string{"vanishing_gradient.go"}, Severity: rule.Error, CauseClass: "activation", Scope: rule.ScopeGeneral,
		When:     "The mean magnitude of a gradient is below `threshold`.",
		Evidence: "mean magnitude of {subject}: {observed}, lower limit {threshold}; gradients below it: {below}",
	},
}

var weightUpdateRatioChecks = []rule.Check{
	{
		ID: "weight_update_ratio/too_large", Files: []string{"weight_update_ratio.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The update of a weight is more than `large_threshold` times its size.",
		Evidence: "change of {subject} since step {from_mode_step}: {observed:times} times its size, limit {threshold} times",
	},
	{
		ID: "weight_update_ratio/too_small", Files: []string{"weight_update_ratio.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The update of a weight is less than `small_threshold` times its size.",
		Evidence: "change of {subject} since step {from_mode_step}: {observed} times its size, lower limit {threshold} times",
	},
}
