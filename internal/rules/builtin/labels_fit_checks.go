package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of labels_fit.
var labelsFitChecks = []rule.Check{
	{
		ID: "labels_fit/all_ignored", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeClassification,
		When:     "Every label of the first steps has the value that the loss ignores.",
		Evidence: "labels of {subject} that count: {observed}",
	},
	{
		ID: "labels_fit/ctc_blank", Files: []string{"labels_fit_ctc_blank.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeCTC,
		When:     "Labels passed to ctc_loss have the index of its blank.",
		Evidence: "labels that are the blank: {observed}, limit {threshold}; labels from {labels_range:range}",
	},
	{
		ID: "labels_fit/broadcast", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeRegression,
		When:     "The shapes of predictions and labels broadcast, so every prediction is compared with every label of the batch.",
		Evidence: "{from?values with shape {from:shape} became {to:shape}|predictions {predictions:shape}, labels {labels:shape}: {observed} comparisons, limit {threshold}}",
	},
	{
		ID: "labels_fit/constant", Files: []string{"labels_fit.go", "labels_fit_one_class.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "All labels of the first steps have the same value, or only one of two classes ever occurs.",
		Evidence:    "{observed} labels of the first steps, all the same; at least {threshold} are needed to judge",
	},
	{
		ID: "labels_fit/end_of_sequence_ignored", Files: []string{"labels_fit_ignored_end_of_sequence.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeSequences,
		When:     "The loss ignores the end-of-sequence label and counts the padding label.",
		Evidence: "sequences that end with the ignored label: {observed}, limit {threshold}",
	},
	{
		ID: "labels_fit/end_of_sequence_never_counts", Files: []string{"labels_fit_end_never_counts.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeSequences,
		When:     "The token that ends sequences is also their padding, and the loss ignores all of it.",
		Evidence: "sequences that end with the padding token: {observed}, limit {threshold}",
	},
	{
		ID: "labels_fit/class_ignored", Files: []string{"labels_fit.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When:     "The value that the loss ignores is one of the model's classes.",
		Evidence: "labels of a class that are ignored: {observed}, limit {threshold}",
	},
	{
		ID: "labels_fit/shifted_twice", Files: []string{"labels_fit_next_token.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeSequences,
		When:     "The labels are the input shifted by two positions: once in the data and once in the model or its loss.",
		Evidence: "positions between input and label: 2, right is 1",
	},
	{
		ID: "labels_fit/non_finite", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		When:     "Labels of the first steps contain NaN or infinity, and the loss includes them.",
		Evidence: "labels that are NaN or infinite: {observed}, limit {threshold}",
	},
	{
		ID: "labels_fit/not_shifted", Files: []string{"labels_fit_next_token.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeSequences,
		When:     "The labels equal the input tokens, not shifted, in a causal model.",
		Evidence: "positions between input and label: 0, right is 1",
	},
	{
		ID: "labels_fit/out_of_range", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeClassification,
		OtherCauses: []string{"data-scaling"},
		When:        "Labels are outside the range that the loss accepts: class numbers beyond the model's outputs, or binary labels outside 0 to 1.",
		Evidence:    "labels from {labels_range:range}{predictions?, predictions {predictions:shape}}",
	},
	{
		ID: "labels_fit/zero_and_one", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeClassification,
		When:     "A loss that expects labels -1 and 1 gets 0 and 1.",
		Evidence: "labels from {labels_range:range}, right are -1 and 1",
	},
	{
		ID: "labels_fit/skewed", Files: []string{"labels_fit_skewed_classes.go"}, Severity: rule.Warning, CauseClass: "imbalance", Scope: rule.ScopeClassification,
		When:     "Nearly all labels of the first steps are one class of three or more, and the loss has no weights.",
		Evidence: "labels that are of one class: {observed:%}, limit {threshold:%}; classes {labels_range:range}",
	},
	{
		ID: "labels_fit/sorted", Files: []string{"labels_fit.go", "labels_fit_one_class.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeClassification,
		When:     "The samples are sorted by class, one class after the other.",
		Evidence: "{jump?loss {jump} after {least}, limit {threshold}; all {labels} first labels are of class {label}|classes of the first batches, in rising order: {labels_range:range}}",
	},
}
