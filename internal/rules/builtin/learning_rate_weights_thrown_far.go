package builtin

import (
	"fmt"
)

const (
	scatteredSpan   = 3   // times their size that weights move within the first 50 steps
	scatteredGrowth = 4   // times as large as at first
	scatteredScale  = 2.5 // of the weights, where a half is usual
	scatteredFrom   = 0.2 // least scale at first: small initial weights have to grow
	scatteredLayers = 4   // least number of weight matrices: one layer alone may be of any size
	scatteredSteps  = 150
	scatteredLevel  = 0.5 // share of a guess's loss that is left at least

	strewnSteps  = 100
	strewnSpan   = 1.5  // times their size that weights move within the first 50 steps, where nothing at all is learnt
	strewnGrowth = 3    // times as large as at first
	strewnUnseen = 5    // the same, where the first steps were not seen
	strewnScale  = 1.5  // of the weights, where a half is usual
	strewnLevel  = 0.95 // share of a guess's loss that is left at least
	blownGrowth  = 8    // times as large as at first, where they began so small that
	blownScale   = 0.8  // their scale is not far from the usual one

	collapsedSpan   = 5
	collapsedGrowth = 10
	collapsedShare  = 1e-4 // of the first movement that is left at most
	collapsedPull   = 1e-9 // gradient in units of its weight: nothing pulls any more
)

// scattered looks for a rate that threw all weights far beyond what layers are
// made for within the first steps. Such a network learns only what comes cheap,
// or, where it draws its own samples, comes to be certain of one answer and has
// no gradient left.
func (r *rateJudge) scattered() (check, message string) {
	c, m, k := &r.state.Curve, &r.state.Motion, &r.state.Kind
	if r.strewn() {
		return "weights_grown", fmt.Sprintf("The learning rate is too high: the weights are %s times as large as initially, far beyond the usual scale, and the %s is %s (chance level: %s)",
			times(m.Grown), called("loss", c.Name), c.quarter(), num(r.guess()))
	}
	if len(m.Spans) < 2 || m.Spans[0].Step > plateauEvery || m.Grown < scatteredGrowth || m.Scale/m.Grown < scatteredFrom {
		return "", ""
	}
	first, last := m.Spans[0].Ratio, m.Spans[len(m.Spans)-1].Ratio
	far := fmt.Sprintf("within %d steps the weights changed by %s times their size, and they are %s times as large as initially", plateauEvery, times(first), times(m.Grown))
	switch {
	case c.N >= scatteredSteps && r.judgeable() && len(m.Last) >= scatteredLayers && first >= scatteredSpan && m.Scale >= scatteredScale &&
		k.classifies() && !k.summed() && k.Guess > 0 && c.share(0.75, 1) >= scatteredLevel*min(k.Guess, k.Uniform):
		return "large_first_updates", fmt.Sprintf("The learning rate is too high: %s; the %s is %s (chance level: %s)",
			far, called("loss", c.Name), c.quarter(), num(min(k.Guess, k.Uniform)))
	case c.N >= scatteredSteps && k.Function == "" && k.Optimisers == 1 && first >= collapsedSpan && m.Grown >= collapsedGrowth && last <= collapsedShare*first && m.Pull <= collapsedPull:
		return "collapsed", fmt.Sprintf("The learning rate is too high: %s; since then the gradients are zero and nothing changes: the model always gives the same saturated answer", far)
	}
	return "", ""
}

// strewn reports whether nothing is learnt and the first steps threw the weights to
// where they are larger than layers are made for, however small they began.
func (r *rateJudge) strewn() bool {
	c, m := &r.state.Curve, &r.state.Motion
	least := strewnScale
	if m.Grown >= blownGrowth {
		least = blownScale
	}
	if !r.judgeable() || c.N < strewnSteps || len(m.Last) < 2 || m.Scale < least {
		return false
	}
	far := m.Grown >= strewnUnseen && m.Scale >= strewnScale
	if len(m.Spans) > 0 && m.Spans[0].Step <= plateauEvery {
		far = m.Grown >= strewnGrowth && m.Spans[0].Ratio >= strewnSpan
	}
	guess := r.guess()
	return far && guess > 0 && c.share(0.75, 1) >= strewnLevel*guess
}

// guess is the loss of who knows only how the labels are distributed, 0 when
// that is not known.
func (r *rateJudge) guess() float64 {
	k := &r.state.Kind
	switch {
	case k.summed() || k.Guess <= 0:
		return 0
	case k.classifies():
		return min(k.Guess, k.Uniform)
	}
	return k.Guess
}
