package builtin

import "github.com/vigil-ml/vigil/rule"

// The checks of data_scaling.
var dataScalingChecks = []rule.Check{
	{
		ID: "data_scaling/constant", Files: []string{"data_scaling.go"}, Severity: rule.Error, CauseClass: "data-loading", Scope: rule.ScopeGeneral,
		When: "All inputs of the first steps are one and the same number.",
	},
	{
		ID: "data_scaling/evaluation", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When: "The first layer gets inputs in evaluation on a scale that differs from that of training by a factor of ten or more.",
	},
	{
		ID: "data_scaling/labels", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeRegression,
		When: "The labels of a regression vary by fifty times as much as the first outputs of the model, or lie that far from them.",
	},
	{
		ID: "data_scaling/large", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When: "The inputs that the first layer gets have a deviation far above 1, and no normalisation comes before it.",
	},
	{
		ID: "data_scaling/mixed", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When: "Features have deviations so far apart that the largest drown the others.",
	},
	{
		ID: "data_scaling/non_finite", Files: []string{"data_scaling.go"}, Severity: rule.Error, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		When: "The values that the first layer gets at the first step contain NaN or infinity.",
	},
	{
		ID: "data_scaling/offset", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When: "The inputs lie around a value that is far larger than what they vary by.",
	},
	{
		ID: "data_scaling/small", Files: []string{"data_scaling.go"}, Severity: rule.Warning, CauseClass: "data-scaling", Scope: rule.ScopeGeneral,
		When: "The inputs vary by so little that they hardly matter beside the bias, as pixels do that were divided by 255 twice.",
	},
}
