package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	spentShare   = 1e-3 // of the largest rate: nothing is learnt with less
	spentUpdates = 0.2  // of the training for which it is spent
	evenFall     = 1.5  // between two falls per update of a rate that falls by one factor
	spentMoves   = 0.05 // of the largest movement of weights in 50 steps: they still move
)

// rateCourse is the learning rate of a training that has ended, next to its loss
// and its weights.
type rateCourse struct {
	*rule.ScheduleFacts
	peak         float64 // the largest rate, or what a schedule scales
	loss         string
	begin, level float64 // of the loss, at first and at the end; 0 where levels mean nothing
	before, now  string  // the two in words
	spans        []weightUpdate
}

// courseChecks judge the course of the rate.
var courseChecks = []rule.Judged[*rateCourse]{rateZero, rateSpent}

const (
	spentCause  = "a schedule that ends long before training does: it is stepped per process or per batch, or was set up for fewer updates or for epochs"
	spentRemedy = "set the scheduler's length to the updates of the whole training (epochs × batches, × processes if each of them steps it); log the learning rate"
)

var rateZero = rule.Judged[*rateCourse]{
	Check: rule.Check{
		ID: "learning_rate/zero", Files: []string{"learning_rate_near_zero.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The learning rate, which started above zero, is exactly 0 for more than the last fifth of the updates, and the weights do not change.",
		Evidence: "learning rate: {observed} of its highest, {initial}; lower limit {threshold}",
		Cause:    spentCause, Remedy: spentRemedy, Asks: []rule.Advice{rule.RaiseLearningRate},
	},
	Judge: func(c *rateCourse, _ rule.Params) []rule.Evidence {
		spent, at, n := c.spent(0)
		if spent < 0 {
			return nil
		}
		return c.found(spent, at, n, fmt.Sprintf("The learning rate is 0 since update %s of %d or earlier: nothing is learnt in the last %s of training (the highest rate was %s).",
			num(math.Round(at)), n, percent(1-at/float64(n)), num(c.peak)))
	},
}

var rateSpent = rule.Judged[*rateCourse]{
	Check: rule.Check{
		ID: "learning_rate/near_zero_at_end", Files: []string{"learning_rate_near_zero.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "The learning rate is below a thousandth of its highest for more than the last fifth of the updates, while a third of the first loss is left.",
		Evidence: "learning rate: {observed} of its highest, {initial}; lower limit {threshold}",
		Cause:    spentCause, Remedy: spentRemedy, Asks: []rule.Advice{rule.RaiseLearningRate},
	},
	Judge: func(c *rateCourse, _ rule.Params) []rule.Evidence {
		spent, at, n := c.spent(spentShare * c.peak * (1 - 1e-9)) // three steps of a tenth come to a thousandth
		if spent < 0 || c.begin <= 0 || c.level < goneLevel*c.begin {
			return nil
		}
		return c.found(spent, at, n, fmt.Sprintf("The learning rate decays too early: it started at %s and is a thousandth of that after some %s of %d updates, while the %s is still %s, initially %s.",
			num(c.peak), num(math.Round(at)), n, called("loss", c.loss), c.now, c.before))
	},
}

// spent finds the rate from which on none is above the least, the update at which
// it fell there, and the number of updates. It is -1 where that is no
// longer than the end of a usual schedule, or where the weights moved meanwhile:
// rates are known at some updates only.
func (c *rateCourse) spent(least float64) (spent int, at float64, n int64) {
	n = c.Steps[len(c.Steps)-1]
	for spent = len(c.Rates); spent > 0 && c.Rates[spent-1] <= least; spent-- {
	}
	if n < 2*warmSteps || spent == len(c.Rates) {
		return -1, 0, n
	}
	if top := slices.Max(c.Rates); top <= spentShare*c.peak && top > 1.01*c.Rates[0] {
		return -1, 0, n // it was never more: what a schedule scales is no rate, as where it is made of the width of a transformer
	}
	if at = c.spentAt(spent); float64(n)-at <= spentUpdates*float64(n) {
		return -1, 0, n
	}
	most := 0.0
	for _, s := range c.spans {
		most = max(most, s.Ratio)
	}
	if slices.ContainsFunc(c.spans, func(s weightUpdate) bool { return s.Step-plateauEvery > c.Steps[spent] && s.Ratio > spentMoves*most }) {
		return -1, 0, n
	}
	return spent, at, n
}

// spentAt is the update at which the rate fell below what counts as spent. Where the
// rate falls by one factor per update, that is computed between the two rates around
// it. Of any other course, such as half of a cosine, no more is known than that it
// had fallen at the later one.
func (c *rateCourse) spentAt(spent int) float64 {
	to := float64(c.Steps[spent])
	if spent < 2 || c.Rates[spent] <= 0 {
		return to
	}
	fall, earlier := c.fall(spent), c.fall(spent-1)
	if earlier <= 0 || fall > evenFall*earlier || earlier > evenFall*fall {
		return to
	}
	return float64(c.Steps[spent-1]) + math.Log(c.Rates[spent-1]/(spentShare*c.peak))/fall
}

// fall is the logarithm of the factor by which the rate fell in each update before the
// i-th that is known, if it was the same in all since the one before.
func (c *rateCourse) fall(i int) float64 {
	return math.Log(c.Rates[i-1]/c.Rates[i]) / float64(c.Steps[i]-c.Steps[i-1])
}

func (c *rateCourse) found(spent int, at float64, n int64, message string) []rule.Evidence {
	return []rule.Evidence{{
		Subject: "learning rate", Observed: c.Rates[spent] / c.peak, Threshold: spentShare, Comparator: "<", Steps: int(n) - int(at), Message: message,
		Context: map[string]any{"steps": c.Steps, "rates": c.Rates, "initial": c.peak, "first": c.begin, "last_mean": c.level},
	}}
}

// course judges the rates, whatever the loss is.
func (r *rateJudge) course(rep *rule.Report) {
	s, curve := r.state.Schedule, &r.state.Curve
	if s == nil || r.state.Said || r.state.Kind.Optimisers > 1 || len(s.Steps) < 2 || len(s.Steps) != len(s.Rates) {
		return
	}
	c := &rateCourse{ScheduleFacts: s, peak: peakOf(s), loss: curve.Name, spans: r.state.Motion.Spans}
	if curve.usable() {
		c.begin, c.level = r.start(), curve.share(0.75, 1)
		c.before, c.now = r.began(), curve.quarter()
	}
	for _, v := range rule.First(courseChecks, c, rule.Params{}) {
		r.state.Said = true
		rep.Violate(v)
	}
}
