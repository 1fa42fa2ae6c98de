package slow

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Before is how long a step took in earlier runs of the same script on this machine,
// as it was known when this run began.
type Before = rule.EarlierRuns

// slowerThanBefore: earlier runs of the script took less for a step.
var slowerThanBefore = check{
	Check: rule.Check{
		ID: "slow_training/slower_than_before", Files: []string{"slow/slower_than_before.go"}, Severity: rule.Warning, CauseClass: "unknown", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "A step takes longer than in each of the last runs of the same script on this machine, by more than `max_slower`.",
		Evidence:        "time beyond that of the runs before: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "something changed since the last runs: the code, a setting, a package, or what else runs on the machine",
		Remedy:          "look at what changed, and at the part of the step that became slower",
	},
	claim: func(c *Case, s *Span) *Claim {
		b := c.Before
		if b == nil || b.PerStep <= 0 || s.Steps == 0 {
			return nil
		}
		now := s.Training() / float64(s.Steps)
		if now <= b.Most*(1+c.p.Float("max_slower")/100) {
			return nil
		}
		claim := &Claim{Seconds: (now - b.PerStep) * float64(s.Steps), Takes: takesNothing, Reached: true, Demanded: c.p.Bool("slower_fails"), Subject: "time of a step"}
		part, more := slowerPart(s, b)
		claim.Message = fmt.Sprintf("A step takes %s, and took %s in %s of this script: %%s of the time is new", record.Seconds(now), record.Seconds(b.PerStep), lastRuns(b.Runs))
		if more > 0 {
			claim.Message += ", most of it in " + name(part)
		}
		claim.Message += strings.ReplaceAll(changedSince(b), "%", "%%")
		claim.Context = map[string]any{"seconds_per_step": now, "before": b.PerStep, "runs": b.Runs, "part": part.String(), "part_seconds_more": more, "changed": b.Changed}
		return claim
	},
}

// slowerPart is the part of a step that became slower by most.
func slowerPart(s *Span, b *Before) (part rule.StepPart, more float64) {
	for p := range rule.StepParts {
		var now float64
		for _, mode := range []rule.Mode{rule.Train, rule.Global} {
			if m := s.Modes[mode]; m != nil {
				now += m.Parts[p] / float64(s.Steps)
			}
		}
		if d := now - b.Parts[p.String()]; d > more {
			part, more = p, d
		}
	}
	return part, more
}

// lastRuns is "the last 3 runs".
func lastRuns(n int) string {
	if n == 1 {
		return "the last run"
	}
	return fmt.Sprintf("the last %d runs", n)
}

// changedSince reports what is different from the last run, the first three things.
func changedSince(b *Before) string {
	const most = 3
	n := len(b.Changed)
	switch {
	case n == 0 && b.Known:
		return "; code, packages and settings are those of the last run"
	case n == 0:
		return ""
	}
	text := "; changed since the last run: " + strings.Join(b.Changed[:min(most, n)], ", ")
	if n > most {
		text += fmt.Sprintf(" and %d more", n-most)
	}
	return text
}
