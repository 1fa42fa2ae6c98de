package slow

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	fewStalls = 4   // that there must be
	seldom    = 0.1 // share of the updates that stalls may be
	// apart is how many batches lie between two waits at least, for each worker of a
	// loader: workers that cannot keep up let the training wait more often.
	apart = 4
)

// stalled are the stalls in a part of the step, as far as they may be judged; nil
// where there are too few of them, or they are no exception.
func (c *Case) stalled(p rule.StepPart) *partStalls {
	if c.Stalls == nil {
		return nil
	}
	all := c.stallSums()
	of := &all.Parts[p]
	if of.Count < fewStalls || float64(of.Count) > seldom*float64(all.Steps) {
		return nil
	}
	if p == rule.WaitForData && c.Loader != nil && of.Count*int64(apart*c.Loader.Workers) > all.Steps {
		return nil
	}
	return of
}

// stallSums are the sums of all stalls so far.
func (c *Case) stallSums() *stallSums {
	if c.stalls == nil {
		s := c.Stalls.all()
		c.stalls = &s
	}
	return c.stalls
}

// of is what stalls take of a span; 0 where they have come to an end before it.
func (p *partStalls) of(c *Case, s *Span) float64 {
	switch {
	case s == c.All:
		return p.Seconds
	case c.All.Seconds <= 0 || !p.going(c.Stalls.Until):
		return 0
	}
	return p.Seconds * s.Seconds / c.All.Seconds
}

// mostStalls are the stalls in the part that loses most by them. What other ranks
// are waited for has a check of its own.
func (c *Case) mostStalls() (part rule.StepPart, most *partStalls) {
	for p := range rule.StepParts {
		if p == rule.WaitForRanks || p == rule.SaveCheckpoint {
			continue
		}
		if of := c.stalled(p); of != nil && (most == nil || of.Seconds > most.Seconds) {
			part, most = p, of
		}
	}
	return part, most
}

// stalls: a few updates take many times as long as the others, again and again.
var stalls = check{
	Check: rule.Check{
		ID: "slow_training/stalls", Status: rule.Experimental, Files: []string{"slow/stalls.go", "slow/stall_times.go"}, Severity: rule.Warning, CauseClass: "step-outliers", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info}, OtherCauses: []string{"contention"},
		When:     "At most a tenth of the steps take many times as long as those around them, again and again; evaluation, checkpoints and the first batches of a pass do not count.",
		Evidence: "rare long steps: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "something is done at these steps only, or holds them up from outside",
		Remedy:   "look at what the script does at these steps, and do it less often, or beside the training",
	},
	claim: func(c *Case, s *Span) *Claim {
		p, of := c.mostStalls()
		if of == nil || p == rule.WaitForData && slowItems(c, s) != nil {
			return nil
		}
		lost := of.of(c, s)
		each, times := of.each()
		claim := &Claim{Seconds: lost, CPU: lost * max(1, c.Cores), Takes: p, Subject: "stalls", Where: c.stallPlace(p, of)}
		claim.Device = p == rule.Forward || p == rule.Backward || p == rule.Optimizer
		claim.Hint = claim.Device // these steps may have more to compute
		claim.Context = map[string]any{"part": p.String(), "stalls": of.Count, "seconds_each": each}
		steps, seconds := of.regular()
		switch {
		case steps > 0:
			claim.Context["every_steps"] = steps
			claim.Message = fmt.Sprintf("Every %d steps one", steps)
		case seconds > 0:
			claim.Context["every_seconds"] = seconds
			claim.Message = fmt.Sprintf("Every %s a step", record.Seconds(seconds))
		default:
			claim.Message = fmt.Sprintf("One of %.0f steps", c.stepsToOne(of))
		}
		claim.Message += fmt.Sprintf(" takes %.0f times as long as the others, in %s: %%s of the time", times, name(p))
		if c.othersStall() {
			claim.CauseClass = "contention"
			claim.Hint = false
			claim.Cause = "other processes use the cores while the step takes so long"
			claim.Remedy = "run them elsewhere, or at other times"
			claim.Context["cores_of_others"] = c.Stalls.During.Others()
		}
		return claim
	},
	needs: func(c *Case) bool {
		_, of := c.mostStalls()
		return of != nil && of.Seconds > 0.1*c.All.Seconds
	},
}

// stepsToOne is how many updates there are for each stall.
func (c *Case) stepsToOne(of *partStalls) float64 {
	return math.Round(float64(c.stallSums().Steps) / float64(of.Count))
}

// stallPlace is the line in which the time of stalls goes: that in which most of
// their part's does, where stalls are most of it, and the samples met one.
func (c *Case) stallPlace(p rule.StepPart, of *partStalls) *rule.Where {
	if !c.Lines.Enough() || of.Seconds < 0.7*c.All.Parts[p] || c.Lines.ShareOf(inPart(p)) < 0.5*c.All.Parts[p]/c.All.Seconds {
		return nil
	}
	if p == rule.WaitForData && c.Loader != nil && c.Loader.Workers > 0 {
		return c.asksForData()
	}
	return c.place(p, 0.5)
}

// othersStall reports whether what does not belong to the job uses the cores in long
// stalls, and not otherwise.
func (c *Case) othersStall() bool {
	d := c.Stalls.During
	if d == nil || d.Sampled < 2 || c.Cores <= 0 || d.Idle > 0.25*d.Sampled {
		return false
	}
	otherwise := max(0, c.All.Sampled-d.Sampled)
	if otherwise == 0 {
		return false
	}
	outside := max(0, c.All.Machine-c.All.CPU-(d.Machine-d.CPU)) / otherwise
	return d.Others() >= 0.4*c.Cores && d.Others() >= 2*outside
}
