package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// spanChecks compare a loss with its own value some steps before, in the order
// in which they are asked.
var spanChecks = []rule.Judged[*lossSpan]{lossNotFinite, lossIncreased, lossNotFalling}

// lossSpan is a loss at two steps of one mode.
type lossSpan struct {
	Name        string
	Mode        rule.Mode
	From, To    int64 // mode steps
	Before, Now float64
	Last        []float64 // values up to now
	Streak      int       // evaluations in a row that found something, if this one does
}

// limitSlack is the tolerance on both limits, in percent points, so that a
// change of exactly the limit does not fire for want of the last bit.
const limitSlack = 1e-9

// change is how far the loss rose, in percent of what it was; not a number when
// it was not finite before.
func (s *lossSpan) change() float64 {
	return 100 * (s.Now - s.Before) / max(math.Abs(s.Before), 1e-12)
}

// found is the evidence of a change.
func (s *lossSpan) found(p rule.Params, observed, threshold float64, comparator, message string) []rule.Evidence {
	return []rule.Evidence{{
		Subject: s.Name, Observed: observed, Threshold: threshold, Comparator: comparator, Message: message, Steps: 1 + s.Streak,
		Context: map[string]any{
			"mode": s.Mode.String(), "mode_step": s.To, "from_mode_step": s.From, "value": s.Now, "from_value": s.Before,
			"diff_percent": p.Float("diff_percent"), "increase_threshold_percent": p.Float("increase_threshold_percent"), "last_values": s.Last,
		},
	}}
}

var lossNotFinite = rule.Judged[*lossSpan]{
	Check: rule.Check{
		ID: "loss_not_decreasing/non_finite", Files: []string{"loss_not_decreasing_checks.go"}, Severity: rule.Warning, CauseClass: "non-finite", Scope: rule.ScopeGeneral,
		When:     "The loss, or its value `num_steps` steps before, is NaN or infinite.",
		Evidence: "loss {value} at step {mode_step}, right is a finite number",
		Cause:    "a learning rate that is too high, or a division by zero or a logarithm of zero in the loss",
		Remedy:   "lower the learning rate and clip gradients by norm; add an epsilon to denominators and logarithms; check the input for NaN",
		Asks:     []rule.Advice{rule.LowerLearningRate, rule.ClipMore},
	},
	Judge: func(s *lossSpan, p rule.Params) []rule.Evidence {
		if finite(s.Now) {
			return nil
		}
		return s.found(p, s.Now, 0, "=", fmt.Sprintf("The %s is %s at %s step %d.", called("loss", s.Name), num(s.Now), s.Mode, s.To))
	},
}

var lossIncreased = rule.Judged[*lossSpan]{
	Check: rule.Check{
		ID: "loss_not_decreasing/increased", Files: []string{"loss_not_decreasing_checks.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The loss rose by more than `increase_threshold_percent` per cent over `num_steps` steps.",
		Evidence: "loss {value} at step {mode_step}, {from_value} at step {from_mode_step}: {observed} % more, limit {threshold} %",
		Cause:    "a learning rate that is too high",
		Remedy:   "lower the learning rate, or warm it up; check the gradients (vanishing_gradient, exploding_tensor)",
		Asks:     []rule.Advice{rule.LowerLearningRate},
		Parameters: []rule.Parameter{
			{Name: "increase_threshold_percent", Type: rule.Float, Default: "5", Range: rule.Between(0, 100).OpenMin().OpenMax(), Unit: "percent", Meaning: "tolerated increase"},
		},
	},
	Judge: func(s *lossSpan, p rule.Params) []rule.Evidence {
		change, rise := s.change(), p.Float("increase_threshold_percent")
		if !(change > rise+limitSlack) {
			return nil
		}
		return s.found(p, change, rise, ">", fmt.Sprintf("The %s rose by %s %% from %s step %d to %d (%s to %s).", called("loss", s.Name), num(change), s.Mode, s.From, s.To, num(s.Before), num(s.Now)))
	},
}

var lossNotFalling = rule.Judged[*lossSpan]{
	Check: rule.Check{
		ID: "loss_not_decreasing/not_decreasing", Files: []string{"loss_not_decreasing_checks.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The loss fell by less than `diff_percent` per cent over `num_steps` steps.",
		Evidence: "loss {value} at step {mode_step}, {from_value} at step {from_mode_step}: a change of {observed} %, limit {threshold} %",
		Cause:    "a learning rate that is too high or too low",
		Remedy:   "change the learning rate; check the gradients (vanishing_gradient, exploding_tensor); if it has converged, stop early",
		Asks:     []rule.Advice{rule.StopEarly},
		Parameters: []rule.Parameter{
			{Name: "diff_percent", Type: rule.Float, Default: "0.1", Range: rule.Between(0, 100).OpenMax(), Unit: "percent", Formerly: []string{"min_difference"}, Meaning: "minimum relative decrease over the span"},
		},
	},
	Judge: func(s *lossSpan, p rule.Params) []rule.Evidence {
		change, fall := s.change(), p.Float("diff_percent")
		if !(change <= 0 && -change < fall-limitSlack) {
			return nil
		}
		return s.found(p, change, -fall, ">", fmt.Sprintf("The %s decreased by only %s %% from %s step %d to %d (%s to %s).", called("loss", s.Name), num(math.Abs(change)), s.Mode, s.From, s.To, num(s.Before), num(s.Now)))
	},
}
