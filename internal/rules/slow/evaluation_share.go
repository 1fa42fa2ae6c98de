package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// muchEvaluation is the share of the time from which on evaluation takes much of it.
const muchEvaluation = 0.4

// evaluationShare: much of the time goes to evaluation.
var evaluationShare = check{
	Check: rule.Check{
		ID: "slow_training/evaluation_share", Files: []string{"slow/evaluation_share.go"}, Severity: rule.Warning, CauseClass: "evaluation-share", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Evaluation takes 40 % of the time or more.",
		Evidence:        "evaluation: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the model is evaluated often, on much data, or in small batches",
		Remedy:          "evaluate less often, or on a part of the data, with larger batches and under torch.no_grad()",
	},
	claim: func(c *Case, s *Span) *Claim {
		evaluating := s.Evaluating()
		if evaluating < muchEvaluation*s.Seconds || c.All.Evaluating() < muchEvaluation*c.All.Seconds {
			return nil
		}
		claim := &Claim{Seconds: evaluating, Device: true, Takes: rule.StepParts, Subject: "evaluation", Message: "Evaluation takes %s of the time"}
		if used, ok := s.CoresUsed(); ok {
			claim.CPU = evaluating * used
		}
		if m := s.Modes[rule.Eval]; m != nil && s.Steps > 0 {
			claim.Message = fmt.Sprintf("Evaluation takes %%s of the time: %d evaluation steps to %s", m.Steps, count(s.Steps, "update"))
			claim.Context = map[string]any{"evaluation_steps": m.Steps, "updates": s.Steps}
		}
		return claim
	},
}
