package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	unlearntShare = 0.8 // of a guess's loss that is left, at most, where something was learnt
	unlearntMove  = 1   // times their own size that weights moved within 50 steps, at least
)

// forgot reports whether a classifier that had learnt something knows nothing
// any more, and for longer than a detour takes.
func (r *rateJudge) forgot() bool {
	k := &r.state.Kind
	if !k.classifies() || k.summed() || k.Guess <= 0 || k.Samples > 0 && k.Samples <= fewSamples {
		return false
	}
	low, to := r.state.Curve.lowest(highWait)
	wait := int64(3 * highWait)
	if r.ending {
		wait = highWait
	}
	guess, last := min(k.Guess, k.Uniform), r.state.Curve.tail(highWait)
	half := len(last) / 2
	return low <= unlearntShare*guess && r.state.Curve.N-to >= wait && median(last) >= 0.95*guess && median(last[half:]) > 0.97*median(last[:half])
}

// unlearnt reports a classifier that a rate has thrown back to a guess.
func (r *rateJudge) unlearnt(rep *rule.Report) bool {
	c, m := &r.state.Curve, &r.state.Motion
	if r.state.Said || !r.thrown() && m.Fast < unlearntMove || c.N < 2*highWait || !r.forgot() {
		return false
	}
	low, to := c.lowest(highWait)
	r.report(rep, rule.Warning, "unlearnt", median(c.tail(highWait))/low, 1/unlearntShare, highWait,
		fmt.Sprintf("The learning rate is too high: up to step %d the %s had fallen from %s to %s, and now it is back at %s, which is chance level",
			c.at(to), called("loss", c.Name), r.began(), meanOfSome(low, highWait), c.lately(highWait)))
	return true
}
