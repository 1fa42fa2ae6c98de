package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of data_scaling.
var dataScalingChecks = []rule.Check{
	{
		ID: "data_scaling/constant", Files: []string{"data_scaling.go"}, Severity: rule.Error, CauseClass: "data-loading", Scope: rule.ScopeGeneral,
		When:     "All input values of the first steps are the same number.",
		Evidence: "{type} {subject}: smallest input {min}, largest input {max}",
	},
	{
		ID: "data_scaling/evaluation", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When:     "The scale of the first layer's input differs between evaluation and training by a factor of ten or more.",
		Evidence: "root mean square of the input of {subject}: {observed:times} times as large in evaluation as in training; limit {threshold} times, a {threshold}th, or normalised in only one of them",
	},
	{
		ID: "data_scaling/labels", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeRegression,
		When:     "The labels of a regression vary fifty times as much as the model's initial outputs, or are that far from them.",
		Evidence: "distance of the labels from the outputs: {observed:times} standard deviations of the outputs, limit {threshold}; labels from {labels_range:range}, outputs from {predictions_min} to {predictions_max}",
	},
	{
		ID: "data_scaling/large", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When:     "The std of the first layer's input is far above 1, and no normalisation comes before it.",
		Evidence: "input of {subject}: standard deviation {observed}, limit {threshold}; values from {min} to {max}",
	},
	{
		ID: "data_scaling/mixed", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When:     "The std of the features differs so much that the largest dominate the others.",
		Evidence: "{faint?features that vary by less than a thousandth of the largest: {observed:%}, limit {threshold:%}|largest standard deviation of a feature for one of the smallest: {observed:times}, limit {threshold:times}}",
	},
	{
		ID: "data_scaling/non_finite", Files: []string{"data_scaling.go"}, Severity: rule.Error, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		When:     "The first layer's input at the first step contains NaN or infinity.",
		Evidence: "inputs of {subject} that are NaN or infinite: {observed}, limit 0",
	},
	{
		ID: "data_scaling/offset", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When:     "The mean of the inputs is far larger than their std.",
		Evidence: "input of {subject}: mean {mean}, limit {threshold} from 0; standard deviation {std}",
	},
	{
		ID: "data_scaling/small", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When:     "The inputs vary so little that they are negligible next to the bias, such as pixels that were divided by 255 twice.",
		Evidence: "input of {subject}: standard deviation {observed}, lower limit {threshold}; values from {min} to {max}",
	},
}
