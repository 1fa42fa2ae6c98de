package builtin

import (
	"fmt"
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
)

// schedule looks at the learning rates themselves: a warm-up that the training
// does not see the end of. The loss has to stand high all the same: some learn
// with little.
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
	peak := peakOf(s)
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
			Check: "warm_up_unfinished", Subject: c.Name, Observed: last, Threshold: warmShare * peak, Comparator: "<", Severity: rule.Warning, Steps: int(c.N),
			Cause:  "a warm-up that is longer than the training, or a scheduler that is stepped too rarely",
			Remedy: "limit the warm-up to a few per cent of all updates, and call scheduler.step() in the unit its length is given in: per update or per epoch",
			Asks:   []rule.Advice{rule.RaiseLearningRate},
			Message: fmt.Sprintf("The learning rate is still warming up when training ends: after %d updates it has reached %s%s, and the %s is %s, initially %s.",
				n, num(last), target, called("loss", c.Name), c.quarter(), r.began()),
			Context: map[string]any{"steps": s.Steps, "rates": s.Rates, "initial": peak, "first": begin, "last_mean": level},
		})
		return
	}
}

// peakOf is the largest rate, or what a schedule scales, where that is larger.
func peakOf(s *rule.ScheduleFacts) float64 {
	peak := slices.Max(s.Rates)
	if s.Initial != nil {
		peak = max(peak, *s.Initial)
	}
	return peak
}

// warming reports whether the rate rises throughout, and has not come near what
// it is to reach. Where nobody knows that, it has to rise in proportion to the
// updates, as a warm-up written by hand does.
func (r *rateJudge) warming(s *rule.ScheduleFacts, peak float64) bool {
	first, last := s.Rates[0], s.Rates[len(s.Rates)-1]
	if !slices.IsSorted(s.Rates) || last == 0 || last < 1.5*first {
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
