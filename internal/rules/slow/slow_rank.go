package slow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	fewOfRank = 10 // updates of a rank, without which it is not judged
	fewRecent = 2  // and in a short stretch of time
)

// slowRank: all ranks but one, or a few, wait for it.
var slowRank = check{
	Check: rule.Check{
		ID: "slow_training/slow_rank", Status: rule.Experimental, Files: []string{"slow/slow_rank.go", "slow/rank_times.go"}, Severity: rule.Warning, CauseClass: "rank-imbalance", Scope: rule.ScopeDistributed,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "At least half of the ranks wait for the others at each step, and these hardly wait and take longer in another part of the step; checkpoints do not count.",
		Evidence:        "waiting for slow ranks: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "a rank has more to do than the others, or a slower loader, disk, device or machine",
		Remedy:          "look at what is different there: its share of the data, its cores and disk, work that only this rank does",
	},
	claim: func(c *Case, s *Span) *Claim {
		x := c.RankTimes
		if x == nil {
			return nil
		}
		whole, last := together(x.Stretches), together(x.Recent)
		all, ok := whole.imbalance(fewOfRank)
		now, still := last.imbalance(fewRecent)
		if !ok || !still || !slices.Equal(all.slow, now.slow) || all.part == rule.SaveCheckpoint || now.part == rule.SaveCheckpoint {
			return nil
		}
		b := all
		if s == c.Recent {
			b = now
		}
		lost := b.seconds * float64(s.Steps)
		claim := &Claim{Seconds: lost, CPU: lost * float64(len(whole.Ranks)), Device: true, Takes: rule.WaitForRanks, Subject: strings.Join(b.slow, ", ")}
		wait, spends := "The other ranks wait", "it spends"
		if len(whole.Ranks)-len(b.slow) == 1 {
			wait = "The other rank waits"
		}
		if len(b.slow) > 1 {
			spends = "they spend"
		}
		claim.Message = fmt.Sprintf("%s for %s %%s of the time: in each step %s %s more on %s", wait, strings.ReplaceAll(these(b.slow), "%", "%%"), spends, record.Seconds(now.more), name(now.part))
		claim.Context = map[string]any{"ranks": b.slow, "part": now.part.String(), "seconds_more": now.more, "seconds_waited": now.seconds}
		if since := x.since(&now); since > 0 {
			claim.Message += fmt.Sprintf(", since about step %d", since)
			claim.Context["since_step"] = since
		}
		return claim
	},
}

// these are names in words, the first three.
func these(names []string) string {
	const most = 3
	switch n := len(names); {
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}
