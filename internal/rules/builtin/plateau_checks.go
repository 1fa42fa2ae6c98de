package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// plateauChecks find a training that never began.
var plateauChecks = []rule.Judged[*standstill]{roundedAway, tinyUpdates, noUpdates}

// roundedAway takes what the other two would blame on the learning rate.
var roundedAway = rule.Judged[*standstill]{
	Check: rule.Check{
		ID: "loss_not_decreasing/rounded_away", Files: []string{"plateau_checks.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral, Status: rule.Experimental,
		When:     "Like plateau or no_updates, but with 16-bit weights, whose rounding swallows updates that would change 32-bit weights.",
		Evidence: "largest change of the {dtype} weights in 50 steps: {observed} of their size, lower limit {threshold}; loss {first_mean} first, {last_mean} last",
		Cause:    "rounding swallows the updates: each is smaller than the precision of the 16-bit weights",
		Remedy:   keepWide,
		Asks:     []rule.Advice{},
	},
	Judge: func(s *standstill, p rule.Params) []rule.Evidence {
		if !s.rounds(p) || s.Most > 0 && !s.drifts() || !s.stands(p.Int("plateau_steps")) {
			return nil
		}
		how := fmt.Sprintf("the weights are %s: no weight changes by more than %s of its size in %d steps", s.Bits, num(s.Most), plateauEvery)
		if s.Most == 0 {
			how = fmt.Sprintf("the weights are %s: no weight has changed at all", s.Bits)
		}
		if s.Want > 0 {
			how += fmt.Sprintf(", where learning rate and gradients would give about %s", num(s.Want))
		}
		found := s.found(p, how)
		found[0].Context["dtype"], found[0].Context["asked"] = s.Bits, s.Want
		return found
	},
}

// drifts reports whether the weights go one way.
func (s *standstill) drifts() bool { return s.Far > driftRatio*s.Near }

// rounds reports whether the rounding of 16 bits can be why no weight moves: in 32 bits
// they would.
func (s *standstill) rounds(p rule.Params) bool {
	return s.Bits != "" && (s.Want == 0 || s.Want >= p.Float("tiny_update"))
}

var tinyUpdates = rule.Judged[*standstill]{
	Check: rule.Check{
		ID: "loss_not_decreasing/plateau", Files: []string{"plateau_checks.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "For `plateau_steps` steps since the start the loss has not fallen and no weight changed by `tiny_update` of its size in 50 steps, although gradients are not small and the weights drift in one direction.",
		Evidence: "largest change of the weights in 50 steps: {observed} of their size, lower limit {threshold}; loss {first_mean} first, {last_mean} last",
		Cause:    "a learning rate that is far too small",
		Remedy:   plateauRemedy, Asks: []rule.Advice{rule.RaiseLearningRate},
		Parameters: []rule.Parameter{
			{Name: "tiny_update", Type: rule.Float, Default: "0.00002", Range: rule.Above(0), Unit: "ratio", Meaning: "with plateau_steps: a change of a weight over 50 steps below this is none"},
		},
	},
	Judge: func(s *standstill, p rule.Params) []rule.Evidence {
		if s.Most == 0 || s.rounds(p) || !s.drifts() || !s.stands(p.Int("plateau_steps")) {
			return nil
		}
		return s.found(p, fmt.Sprintf("no weight changes by more than %s of its size in %d steps", num(s.Most), plateauEvery))
	},
}

var noUpdates = rule.Judged[*standstill]{
	Check: rule.Check{
		ID: "loss_not_decreasing/no_updates", Files: []string{"plateau_checks.go"}, Severity: rule.Error, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "For `plateau_steps` steps since the start the loss has not fallen and no weight has changed at all, although gradients are not zero.",
		Evidence: "largest change of the weights in 50 steps: {observed} of their size, lower limit {threshold}; loss {first_mean} first, {last_mean} last",
		Cause:    "a learning rate of zero, or so small that updates are lost in rounding, or an optimiser that does not have the model's parameters",
		Remedy:   plateauRemedy, Asks: []rule.Advice{rule.RaiseLearningRate},
	},
	Judge: func(s *standstill, p rule.Params) []rule.Evidence {
		if s.Most > 0 || s.rounds(p) || !s.stands(p.Int("plateau_steps")) {
			return nil
		}
		return s.found(p, "no weight has changed at all")
	},
}

const plateauRemedy = "raise the learning rate by factors of ten until the loss moves; check the scheduler, and that the optimiser got model.parameters()"

// stands reports whether the loss has been flat for so many steps, over enough
// looks at the weights, while gradients ask for movement and updates are made of them.
func (s *standstill) stands(steps int64) bool {
	return 2*s.Skipped <= s.Steps && s.Alive >= aliveGradient && s.Pairs >= leastStreak && s.Losses.flatSince(steps)
}

// found is the evidence; how says what the weights did.
func (s *standstill) found(p rule.Params, how string) []rule.Evidence {
	name, values := "loss", []float64(nil)
	for n, l := range s.Losses {
		if len(values) == 0 || n == "loss" || (name != "loss" && n < name) {
			name, values = n, append([]float64(nil), l.tail(20)...)
		}
	}
	first, _ := moments(s.Losses[name].First)
	last, _ := moments(s.Losses[name].tail(firstKept))
	return []rule.Evidence{{
		Subject: name, Observed: s.Most, Threshold: p.Float("tiny_update"), Comparator: "<", Steps: int(s.Losses[name].N),
		Message: fmt.Sprintf("Nothing is learnt: after %d steps the %s is still %s, initially %s, and %s.",
			s.Losses[name].N, called("loss", name), meanOfLast(last, int64(len(s.Losses[name].tail(firstKept)))), meanOfFirst(first, len(s.Losses[name].First)), how),
		Context: map[string]any{"first_mean": first, "last_mean": last, "largest_update": s.Most, "weight": s.Where, "pairs": s.Pairs, "gradient_to_weight": s.Alive, "last_values": values},
	}}
}
