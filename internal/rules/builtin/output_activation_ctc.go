package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// notLogarithms are operations at the end of a network that give no logarithms of
// probabilities.
var notLogarithms = append([]string{"softmax", "sigmoid", "relu", "tanh", "gelu", "silu", "softplus", "dropout"}, weightedOps...)

// intoAlignment finds a ctc_loss that gets something else than logarithms of
// probabilities, which are never positive.
func intoAlignment(v *lossView) []rule.Violation {
	p, l := v.facts.Predictions, v.facts.Labels
	if p == nil || l == nil || l.Loss != "CTCLoss" && l.Loss != "ctc_loss" || len(l.Others) > 0 || len(p.Way) == 0 || p.LogRows || p.Values == nil || p.Values.NonFinite > 0 || p.Values.Max <= 1e-3 || !slices.Contains(notLogarithms, p.Way[0]) {
		return nil
	}
	what := "the raw outputs of the last layer"
	if op := p.Way[0]; !slices.Contains(weightedOps, op) {
		what = "the outputs of " + v.module(op)
	}
	text := fmt.Sprintf("ctc_loss gets %s (%s) but expects log-probabilities, which are never positive: the loss is meaningless and has no lower bound.", what, rangeText(float64(p.Values.Min), float64(p.Values.Max)))
	out := v.violation("no_logarithm", text, "apply log_softmax over the classes (dim=-1) before ctc_loss", rule.Error)
	out.Cause = "a missing log_softmax before ctc_loss"
	return []rule.Violation{out}
}
