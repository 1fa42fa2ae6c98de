package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	standingSteps = 50 // least length of a training
	standingLooks = 5  // at its gradients
)

// followsFromNothing is what comes of a loss that is the same to the last bit from the
// first step on: no learning rate did that, and no gradient that faded.
var followsFromNothing = []string{
	"learning_rate", "vanishing_gradient", "exploding_tensor", "clipping", "impossible_loss", "too_few_updates", "loss_not_decreasing",
	"unchanged_tensor", "weight_update_ratio", "all_zero",
}

// standing is a training of which nothing has varied by a bit so far: neither
// its loss, nor the statistics of any gradient.
type standing struct {
	Looks int                   `json:"looks"` // at gradients
	First map[string][3]float64 `json:"first"` // least, largest and sum of magnitudes of each gradient
	Pull  bool                  `json:"pull"`  // a gradient is not all zero
	Moved bool                  `json:"moved"` // something varied
	// Factors are the products with zeros in the graph of the loss.
	Factors int64 `json:"factors,omitempty"`

	// Of the loss, when it is judged.
	Name  string  `json:"-"`
	Value float64 `json:"-"`
	Steps int64   `json:"-"`
}

// gradients takes those of a step. Of several workers each has its own.
func (s *standing) gradients(v *rule.View, items []rule.Item) {
	if s.Moved || v.Skipped {
		return
	}
	looked := false
	for i := range items {
		st := items[i].Stats
		if st == nil || st.Count == 0 {
			continue
		}
		if st.NonFinite() {
			s.Moved = true // for other rules
			return
		}
		looked = true
		now, name := [3]float64{st.Min, st.Max, st.L1}, items[i].Worker+" "+items[i].Info.Name
		if first, known := s.First[name]; !known {
			s.First[name] = now
		} else if now != first {
			s.Moved = true
		}
		s.Pull = s.Pull || st.Min != 0 || st.Max != 0
	}
	if looked {
		s.Looks++
	}
}

// stands reports whether nothing has varied, long enough to say so.
func (s *standing) stands() bool {
	return !s.Moved && s.Looks >= standingLooks && s.Steps >= standingSteps
}

func (s *standing) found(message string) []rule.Evidence {
	return []rule.Evidence{{
		Subject: s.Name, Observed: s.Value, Threshold: s.Value, Comparator: "=", Steps: int(s.Steps), Message: message,
		Context: map[string]any{"value": s.Value, "steps": s.Steps, "gradients": len(s.First), "looks": s.Looks, "zero_factors": s.Factors},
	}}
}

// standingChecks find a training in which nothing varies, in the order in which
// they are asked.
var standingChecks = []rule.Judged[*standing]{noPull, samePull}

var noPull = rule.Judged[*standing]{
	Check: rule.Check{
		ID: "loss_flat/zero_gradients", Files: []string{"loss_flat_nothing_varies.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "At every step, 50 or more, the loss is the same number and all captured gradients are exactly zero.",
		Evidence: "loss at each of {steps} steps: {value}; gradients at {looks} of them: all 0",
		Cause:    "the loss does not depend on the parameters: it is multiplied by zero (equal rewards or advantages, a mask, a weight), or is clamped entirely",
		Remedy:   "print what the loss is computed from for one batch (rewards, advantages, masks, weights): they must be non-zero and differ from each other",
	},
	Judge: func(s *standing, _ rule.Params) []rule.Evidence {
		if s.Pull || !s.stands() {
			return nil
		}
		text := fmt.Sprintf("Nothing is learnt: the %s is exactly %s at each of %d steps, and all gradients are exactly zero.", called("loss", s.Name), num(s.Value), s.Steps)
		if s.Factors > 0 {
			text += " What it is computed from is multiplied by 0."
		}
		return s.found(text)
	},
}

var samePull = rule.Judged[*standing]{
	Check: rule.Check{
		ID: "loss_flat/constant_gradients", Files: []string{"loss_flat_nothing_varies.go"}, Severity: rule.Error, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "At every step, 50 or more, the loss is the same number and the captured gradients, which are not zero, never change.",
		Evidence: "loss at each of {steps} steps: {value}; gradients at {looks} of them: always the same",
		Cause:    "updates do not reach the model that computes the loss: it is a copy, the old values are written back, or rounding swallows the updates (tiny learning rate, 16-bit weights)",
		Remedy:   "compare a weight before and after optimizer.step(); create the optimiser from the parameters of the model that computes the loss; keep weights in float32",
	},
	Judge: func(s *standing, _ rule.Params) []rule.Evidence {
		if !s.Pull || !s.stands() {
			return nil
		}
		return s.found(fmt.Sprintf("Nothing is learnt: the %s is exactly %s at each of %d steps, and no gradient changes from step to step.", called("loss", s.Name), num(s.Value), s.Steps))
	},
}

// stands judges whether anything has varied so far, where nothing says why not.
func (r *flat) stands(rep *rule.Report) {
	c, s := &r.state.Curve, &r.state.Stands
	if r.state.Fired || !r.state.Same || c.N == 0 || !c.one() {
		return
	}
	s.Name, s.Value, s.Steps = c.Name, c.First[0], c.N
	for _, v := range rule.First(standingChecks, s, rule.Params{}) {
		r.state.Fired = true
		rep.Violate(v)
	}
}
