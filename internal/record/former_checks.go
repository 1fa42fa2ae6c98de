package record

import (
	"slices"
	"strings"
)

// formerChecks are the names that checks had before, by rule, with those of today. A
// name that was once printed or stored is understood for good.
var formerChecks = map[string]map[string]string{
	"labels_fit": {
		"blank":        "ctc_blank",
		"end_left_out": "end_of_sequence_ignored",
		"left_out":     "class_ignored",
		"moved_twice":  "shifted_twice",
		"not_moved":    "not_shifted",
		"range":        "out_of_range",
		"signs":        "zero_and_one",
	},
	"learning_rate": {
		"at_guess":     "weights_grown",
		"gone":         "decayed_early",
		"half_way":     "loss_recovered_partly",
		"lost":         "loss_rose_again",
		"out_of_reach": "weights_hardly_moved",
		"scattered":    "large_first_updates",
		"spent":        "near_zero_at_end",
		"strides":      "large_updates",
		"thrown":       "loss_stuck_high",
		"warming":      "warm_up_unfinished",
		"wrong_way":    "wrong_plateau_mode",
	},
	"loss_choice": {
		"classes":       "regression_of_classes",
		"nothing_apart": "nothing_pushes_apart",
		"one_axis":      "samples_as_classes",
		"outweighed":    "one_class_outweighs",
		"two_classes":   "regression_of_two_classes",
		"values":        "labels_not_probabilities",
		"weights":       "class_weights_inverted",
	},
	"loss_flat": {
		"guess":      "chance_level",
		"held_down":  "held_by_weight_decay",
		"no_pull":    "zero_gradients",
		"outweighed": "reconstruction_outweighed",
		"same_pull":  "constant_gradients",
		"scale":      "target_scale",
	},
	"network_structure": {
		"interleaved":  "channels_reshaped",
		"one_for_all":  "one_prediction_per_batch",
		"over_queries": "softmax_over_queries",
		"padding_seen": "padding_mask_inverted",
	},
	"not_updated": {
		"astray":     "another_instance_trained",
		"held_twice": "in_two_optimisers",
		"loose":      "tensor_in_no_optimiser",
		"lost_code":  "latent_code_cut",
		"lost_term":  "term_without_graph",
		"made_anew":  "weights_recreated",
		"no_slope":   "zero_gradient_operation",
		"not_held":   "parameters_in_no_optimiser",
		"outside":    "module_in_no_optimiser",
		"strangers":  "optimiser_of_another_model",
	},
	"output_activation": {
		"one_entry":          "softmax_of_one_entry",
		"out_of_reach":       "labels_out_of_reach",
		"raw_logarithm":      "logarithm_of_logits",
		"scores_of_one":      "inner_softmax_of_one_entry",
		"softmax_of_several": "softmax_for_multi_label",
	},
	"overfit": {
		"by_heart":  "memorised",
		"elsewhere": "worse_than_constant",
	},
	"ranks_diverge": {
		"digest": "weights_diverged",
	},
}

// CheckNow is the name that a check of a rule has today.
func CheckNow(rule, check string) string {
	if now, renamed := formerChecks[rule][check]; renamed {
		return now
	}
	return check
}

// FormerChecks are the names that a check had before.
func FormerChecks(rule, check string) []string {
	var list []string
	for former, now := range formerChecks[rule] {
		if now == check {
			list = append(list, former)
		}
	}
	slices.Sort(list)
	return list
}

// CheckIDNow is the name of a check with its rule ("rule/check"), or with more after
// it, as the check is called today.
func CheckIDNow(id string) string {
	rule, rest, _ := strings.Cut(id, "/")
	check, more, one := strings.Cut(rest, "/")
	if now := CheckNow(rule, check); now != check {
		id = rule + "/" + now
		if one {
			id += "/" + more
		}
	}
	return id
}
