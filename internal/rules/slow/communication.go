package slow

import (
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// communication: all ranks wait alike, so they wait for each other's numbers and not
// for a slow one.
var communication = check{
	Check: rule.Check{
		ID: "slow_training/communication", Status: rule.Experimental, Files: []string{"slow/communication.go", "slow/rank_times.go"}, Severity: rule.Info, CauseClass: "ranks", Scope: rule.ScopeDistributed,
		When:     "Every rank waits for the others for a tenth of its time or more, even the one that waits least.",
		Evidence: "waiting of all ranks for each other: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "gradients or other tensors are exchanged while no rank computes, or the ranks take turns in having more to do",
		Remedy:   "exchange less often (accumulate gradients under no_sync()), let DistributedDataParallel overlap it with backward, or use a faster connection",
	},
	claim: func(c *Case, s *Span) *Claim {
		if c.RankTimes == nil {
			return nil
		}
		of := together(c.RankTimes.Stretches)
		if s == c.Recent {
			of = together(c.RankTimes.Recent)
		}
		least := math.Inf(1)
		for _, r := range of.Ranks {
			if r.Steps > 0 {
				least = min(least, r.Parts[rule.WaitForRanks]/float64(r.Steps))
			}
		}
		if len(of.Ranks) < 2 || s.Steps == 0 || least*float64(s.Steps) < 0.1*s.Seconds {
			return nil
		}
		return &Claim{
			Seconds: least * float64(s.Steps), Takes: rule.WaitForRanks, Subject: "ranks", Unbound: true, Hint: true,
			Message: "All ranks wait for each other %s of the time", Context: map[string]any{"ranks": len(of.Ranks), "seconds_each": least},
		}
	},
}
