package slow

import (
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// aids are those that the hook looks for, with what to do about each.
var aids = []struct{ name, words, remedy string }{
	{"anomaly", "anomaly detection", "remove set_detect_anomaly(True) or detect_anomaly() of torch.autograd"},
	{"profiler", "a profiler", "remove PyTorch's profiler, or give it a schedule that ends after some steps"},
	{"launch_blocking", "CUDA_LAUNCH_BLOCKING", "remove CUDA_LAUNCH_BLOCKING from the environment"},
}

// debugAids: what helps to find mistakes was on all the time.
var debugAids = check{
	Check: rule.Check{
		ID: "slow_training/debug_aids", Status: rule.Experimental, Files: []string{"slow/debug_aids.go"}, Severity: rule.Info, CauseClass: "debug-mode", Scope: rule.ScopeGeneral,
		When:     "Anomaly detection, a profiler of PyTorch or CUDA_LAUNCH_BLOCKING is on in most of the training, and forward and backward passes take a large share of the time.",
		Evidence: "forward and backward passes with debugging aids: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "an aid for finding mistakes was left on: it does more work at each operation, or waits for each",
		Remedy:   "switch it off, or on for a few steps only",
	},
	claim: func(c *Case, s *Span) *Claim {
		if c.Facts == nil || c.Facts.Debugging == nil {
			return nil
		}
		var on, remedies []string
		claim := &Claim{Takes: takesNothing, Subject: "debugging aids", Unbound: true, Hint: true}
		for _, aid := range aids {
			if c.leftOn(aid.name) {
				on = append(on, aid.words)
				remedies = append(remedies, aid.remedy)
				claim.Device = claim.Device || aid.name == "anomaly" // the device looks for NaN
			}
		}
		if len(on) == 0 {
			return nil
		}
		for _, mode := range []rule.Mode{rule.Train, rule.Global} {
			if m := s.Modes[mode]; m != nil {
				claim.Seconds += m.Parts[rule.Forward] + m.Parts[rule.Backward]
			}
		}
		claim.Remedy = strings.Join(remedies, "; ")
		claim.Message = "Forward and backward passes, which " + strings.Join(on, " and ") + plural(len(on), " slows", " slow") + " down, take %s of the time"
		return claim
	},
}

// leftOn reports whether an aid was on in most of the backward passes that were looked at,
// and not only in the first half of the training: there it may have been meant to be.
func (c *Case) leftOn(name string) bool {
	for _, aid := range c.Facts.Debugging.Aids {
		if aid.Name == name {
			return 2*aid.Passes > c.Facts.Debugging.Looked && 2*aid.Last > c.All.Steps
		}
	}
	return false
}

func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
