package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of labels_fit.
var labelsFitChecks = []rule.Check{
	{
		ID: "labels_fit/all_ignored", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeClassification,
		When: "Every label of the first steps has the value that the loss ignores.",
	},
	{
		ID: "labels_fit/blank", Files: []string{"labels_fit_ctc_blank.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeCTC,
		When: "Labels passed to ctc_loss have the index of its blank.",
	},
	{
		ID: "labels_fit/broadcast", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeRegression,
		When: "The shapes of predictions and labels broadcast, so every prediction is compared with every label of the batch.",
	},
	{
		ID: "labels_fit/constant", Files: []string{"labels_fit.go", "labels_fit_one_class.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral,
		OtherCauses: []string{"data-loading"},
		When:        "All labels of the first steps have the same value, or only one of two classes ever occurs.",
	},
	{
		ID: "labels_fit/end_left_out", Files: []string{"labels_fit_ignored_end_of_sequence.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeSequences,
		When: "The loss ignores the end-of-sequence label and counts the padding label.",
	},
	{
		ID: "labels_fit/left_out", Files: []string{"labels_fit.go"}, Severity: rule.Warning, CauseClass: "loss", Scope: rule.ScopeClassification,
		When: "The value that the loss ignores is one of the model's classes.",
	},
	{
		ID: "labels_fit/moved_twice", Files: []string{"labels_fit_next_token.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeSequences,
		When: "The labels are the input shifted by two positions: once in the data and once in the model or its loss.",
	},
	{
		ID: "labels_fit/non_finite", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		When: "Labels of the first steps contain NaN or infinity, and the loss includes them.",
	},
	{
		ID: "labels_fit/not_moved", Files: []string{"labels_fit_next_token.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeSequences,
		When: "The labels equal the input tokens, not shifted, in a causal model.",
	},
	{
		ID: "labels_fit/range", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeClassification,
		OtherCauses: []string{"data-scaling"},
		When:        "Labels are outside the range that the loss accepts: class numbers beyond the model's outputs, or binary labels outside 0 to 1.",
	},
	{
		ID: "labels_fit/signs", Files: []string{"labels_fit.go"}, Severity: rule.Error, CauseClass: "labels", Scope: rule.ScopeClassification,
		When: "A loss that expects labels -1 and 1 gets 0 and 1.",
	},
	{
		ID: "labels_fit/skewed", Files: []string{"labels_fit_skewed_classes.go"}, Severity: rule.Warning, CauseClass: "imbalance", Scope: rule.ScopeClassification,
		When: "Nearly all labels of the first steps are one class of three or more, and the loss has no weights.",
	},
	{
		ID: "labels_fit/sorted", Files: []string{"labels_fit.go", "labels_fit_one_class.go"}, Severity: rule.Warning, CauseClass: "data-loading", Scope: rule.ScopeClassification,
		When: "The samples are sorted by class, one class after the other.",
	},
}
