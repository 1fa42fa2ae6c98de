package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// growingSteps: each update takes longer than the one before, because something is
// gone through again that grows with the training.
var growingSteps = check{
	Check: rule.Check{
		ID: "slow_training/growing_steps", Files: []string{"slow/growing_steps.go", "slow/course.go"}, Severity: rule.Warning, CauseClass: "step-outliers", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The time of a step grows steadily with the step, to at least one and a half times what it was.",
		Evidence:        "growth of the steps: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "something that grows with the training is gone through at every step: a list that is concatenated, a history that is summed up again",
		Remedy:          "keep running sums instead of the history, preallocate, or do it once per epoch",
	},
	claim: func(c *Case, s *Span) *Claim {
		g, ok := c.Course.Grows()
		if !ok || g.Steadiness < 0.85 || c.All.Training() <= 0 {
			return nil
		}
		step := c.All.Training() / float64(max(1, c.All.Steps))
		if g.Last-g.First < 0.5*(step-g.Extra/float64(max(1, c.All.Steps))) {
			return nil
		}
		part := s.Seconds / c.All.Seconds
		claim := &Claim{Seconds: g.Extra * part, CPU: g.Extra * part, Takes: g.Part, Device: true, Subject: "time of a step"}
		claim.Message = fmt.Sprintf("Steps take longer and longer: %s of the time is what %s has grown by, from %s to %s a step", "%s", name(g.Part), record.Seconds(g.First), record.Seconds(g.Last))
		claim.Context = map[string]any{"part": g.Part.String(), "first_seconds": g.First, "last_seconds": g.Last}
		claim.Where = c.place(g.Part, 0.3)
		if g.Part == rule.OtherPart {
			claim.AtMost = s.Parts[rule.OtherPart]
		}
		return claim
	},
	needs: func(c *Case) bool {
		g, ok := c.Course.Grows()
		return ok && g.Steadiness >= 0.85 && g.Last >= 1.5*g.First && g.Extra > 0.1*c.All.Seconds
	},
}

// name is a part of the step in words.
func name(p rule.StepPart) string {
	switch p {
	case rule.WaitForData:
		return "waiting for data"
	case rule.CopyToDevice:
		return "the copy to the device"
	case rule.Forward:
		return "the forward pass"
	case rule.Backward:
		return "the backward pass"
	case rule.WaitForRanks:
		return "waiting for other ranks"
	case rule.Optimizer:
		return "the optimiser"
	case rule.SaveCheckpoint:
		return "saving checkpoints"
	}
	return "the script's other work"
}
