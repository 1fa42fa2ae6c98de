package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	warmShare  = 0.2  // of the rate it is to reach that a warm-up has come to at its end, at most
	warmSteps  = 50   // least length of a training
	warmLevel  = 0.85 // share of the first loss that is left at least
	faintShare = 0.02 // of the rate it is to reach: what was learnt with that is no reason to be content
	faintLevel = 0.6  // share of the first loss that is left at least then
	mostRate   = 0.1  // rates that are meant as such: with a larger one a schedule scales something else
	spentShare = 1e-3 // of the largest rate: nothing is learnt with less
	spentEarly = 0.3  // of the training by which it is spent
)

// schedule looks at the learning rates themselves: a warm-up that the training
// does not see the end of, and a decay that is over before anything was learnt.
// The loss has to stand high all the same: some learn with little.
func (r *rateJudge) schedule(rep *rule.Report) {
	s, c := r.state.Schedule, &r.state.Curve
	if s == nil || r.state.Said || len(s.Steps) < 2 || len(s.Steps) != len(s.Rates) || c.N < warmSteps {
		return
	}
	begin, level := r.start(), c.share(0.75, 1)
	if begin <= 0 {
		return
	}
	n, last := s.Steps[len(s.Steps)-1], s.Rates[len(s.Rates)-1]
	peak := slices.Max(s.Rates)
	if s.Initial != nil {
		peak = max(peak, *s.Initial)
	}
	left := warmLevel
	if s.Initial != nil && peak <= mostRate && last < faintShare*peak {
		left = faintLevel
	}
	if r.warming(s, peak) && level >= left*begin && c.Peak < 2*begin {
		target := ""
		if peak > last {
			target = fmt.Sprintf(" of %s", num(peak))
		}
		r.state.Said = true
		rep.Violate(rule.Violation{
			Check: "warming", Subject: c.Name, Observed: last, Threshold: warmShare * peak, Comparator: "<", Severity: rule.Warning, Steps: int(c.N),
			Cause:  "a warm-up that is longer than the training, or whose scheduler is called too seldom",
			Remedy: "make the warm-up a few per cent of all updates, and call scheduler.step() as often as its length is counted: after every update, or once for each epoch",
			Asks:   []rule.Advice{rule.RaiseLearningRate},
			Message: fmt.Sprintf("The learning rate is still being warmed up when the training ends: after %d updates it has come to %s%s, and the %s stands at %s (it began at %s).",
				n, num(last), target, called("loss", c.Name), num(level), num(begin)),
			Context: map[string]any{"steps": s.Steps, "rates": s.Rates, "initial": peak, "first": begin, "last_mean": level},
		})
		return
	}
	if level < goneLevel*begin || c.N < 2*warmSteps {
		return
	}
	spent := slices.IndexFunc(s.Rates, func(x float64) bool { return x <= spentShare*peak })
	if spent < 0 || slices.ContainsFunc(s.Rates[spent:], func(x float64) bool { return x > spentShare*peak }) {
		return
	}
	if top := slices.Max(s.Rates); top <= spentShare*peak && top > 1.01*s.Rates[0] {
		return // it was never more: what a schedule scales is no rate, as where it is made of the width of a transformer
	}
	at := spentAt(s, spent, peak)
	if at > spentEarly*float64(n) {
		return
	}
	r.state.Said = true
	rep.Violate(rule.Violation{
		Check: "gone", Subject: c.Name, Observed: s.Rates[spent] / peak, Threshold: spentShare, Comparator: "<", Severity: rule.Warning, Steps: int(n) - int(at),
		Cause:  "a schedule that lowers the learning rate to nothing long before the end: one made for epochs that steps with every batch",
		Remedy: "call scheduler.step() once for each epoch, or count its steps and its decay in batches; print the learning rate",
		Asks:   []rule.Advice{rule.RaiseLearningRate},
		Message: fmt.Sprintf("The learning rate is lowered to nothing too early: it began at %s, after some %s of %d updates a thousandth of that is left, and the %s stands at %s (it began at %s).",
			num(peak), num(math.Round(at)), n, called("loss", c.Name), num(level), num(begin)),
		Context: map[string]any{"steps": s.Steps, "rates": s.Rates, "initial": peak, "first": begin, "last_mean": level},
	})
}

// spentAt is the update at which the rate fell below what counts as spent: it is
// taken to have fallen by one factor per update between the two rates around it.
func spentAt(s *rule.ScheduleFacts, spent int, peak float64) float64 {
	to, after := float64(s.Steps[spent]), s.Rates[spent]
	if spent == 0 || after <= 0 {
		return to
	}
	from, before := float64(s.Steps[spent-1]), s.Rates[spent-1]
	return from + (to-from)*math.Log(before/(spentShare*peak))/math.Log(before/after)
}

// warming tells whether the rate rises throughout, and has not come near what
// it is to reach. Where nobody knows that, it has to rise in proportion to the
// updates, as a warm-up written by hand does.
func (r *rateJudge) warming(s *rule.ScheduleFacts, peak float64) bool {
	first, last := s.Rates[0], s.Rates[len(s.Rates)-1]
	if !slices.IsSorted(s.Rates) || last < 1.5*first {
		return false
	}
	if s.Initial != nil {
		return last < warmShare*peak
	}
	slope := last / float64(s.Steps[len(s.Steps)-1])
	for i, x := range s.Rates {
		if per := x / float64(s.Steps[i]); per < slope/1.3 || per > slope*1.3 {
			return false
		}
	}
	return true
}
