package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	strideRatio  = 2   // deviations of a weight that an update moves its elements by
	strideLayers = 4   // least number of weights
	strideSteps  = 150 // updates
	strideLevel  = 0.5 // share of a guess's loss that is left at least
	strideStill  = 0.9 // of the loss before, at least: it does not fall any more

	peakRatio = 5    // the same of a rate that is warmed up, or comes down again
	peakLevel = 0.75 // share of a guess's loss that there is meanwhile, at least

	groupWeights = 2    // least number of weights of a group with a rate of its own
	groupLevel   = 0.85 // share of a guess's loss that is left where only a group's rate is too high
)

// strideOf is by how many deviations of a weight the first updates move its
// elements, the median over weights: optimisers that divide by the size of the
// gradients move every element by about the rate. It is 0 where that is not
// known. group is the most of a group that has a rate of its own, and the rate is
// its. Where the rate is another one later or at first, peak is what its largest
// does, and the others are 0.
func strideOf(f *rule.Facts) (all, group, rate, peak float64) {
	if len(f.Optimisers) != 1 || f.Optimisers[0].LR == nil || f.Schedule == nil || len(f.Schedule.Rates) == 0 || f.Parameters.More > 0 ||
		!slices.Contains(evenOptimisers, f.Optimisers[0].Class) {
		return 0, 0, 0, 0
	}
	rates := f.Schedule.Rates
	changes := slices.Min(rates) < slices.Max(rates)/2 || f.Schedule.Initial != nil && *f.Schedule.Initial > 2*slices.Max(rates)
	var steps []float64
	groups := map[float64][]float64{} // by rate
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if !p.Trained || !p.Held || len(p.Shape) < 2 || p.First == nil || p.First.NonFinite > 0 || p.First.Std <= 0 {
			continue
		}
		lr := *f.Optimisers[0].LR
		if changes {
			lr = slices.Max(rates)
		} else if p.LR != nil {
			lr = *p.LR
			groups[lr] = append(groups[lr], lr/float64(p.First.Std))
		}
		steps = append(steps, lr/float64(p.First.Std))
	}
	switch {
	case len(steps) < strideLayers:
		return 0, 0, 0, 0
	case changes:
		return 0, 0, 0, median(steps)
	}
	for r, own := range groups {
		if len(own) >= groupWeights && len(groups) > 1 && median(own) > group {
			group, rate = median(own), r
		}
	}
	return median(steps), group, rate, 0
}

// strides looks for a rate that is larger than the weights themselves: whatever
// is learnt, the next update overwrites it, and the loss stays where it came in
// the first steps.
func (r *rateJudge) strides(rep *rule.Report) {
	c, k := &r.state.Curve, &r.state.Kind
	if r.peaks(rep) {
		return
	}
	stride, left := r.state.Stride, strideLevel
	if stride < strideRatio {
		stride, left = r.state.GroupStride, groupLevel
	}
	if r.state.Said || stride < strideRatio || c.N < strideSteps || !k.classifies() || k.summed() && !r.averaged() || k.Guess <= 0 {
		return
	}
	level, before := c.share(0.75, 1), c.share(0.4, 0.75)
	if level < left*min(k.Guess, k.Uniform) || level < strideStill*before {
		return
	}
	r.state.Said = true
	whose := "by about the learning rate, which is"
	if r.state.Stride < strideRatio {
		whose = fmt.Sprintf("of the group with the highest learning rate (%s) by about that rate, which is", num(r.state.GroupRate))
	}
	rep.Violate(rule.Violation{
		Check: "large_updates", Subject: c.Name, Observed: stride, Threshold: strideRatio, Comparator: ">=", Severity: rule.Warning, Steps: int(c.N),
		Cause:  "a learning rate that is too high: it is larger than the weights it changes",
		Remedy: "lower the learning rate by factors of ten, or warm it up; do not scale it linearly with the batch size for Adam, as for plain SGD",
		Asks:   []rule.Advice{rule.LowerLearningRate},
		Message: fmt.Sprintf("The learning rate is too high: an update changes every element of a weight %s %s times the std of the initial weights, and the %s is stuck at %s (chance level: %s).",
			whose, times(stride), called("loss", c.Name), c.quarter(), num(min(k.Guess, k.Uniform))),
		Context: map[string]any{"stride": stride, "last_mean": level, "before": before, "guess": k.Guess},
	})
}

// peaks looks for the same where the rate is warmed up, or comes down again: while
// it is high the loss does not fall, and what is left of the job fixes no more than
// half of it.
func (r *rateJudge) peaks(rep *rule.Report) bool {
	c, k := &r.state.Curve, &r.state.Kind
	if r.state.Said || r.state.Peak < peakRatio || c.N < strideSteps || !k.classifies() || k.summed() && !r.averaged() || k.Guess <= 0 {
		return false
	}
	guess, level, high, before := min(k.Guess, k.Uniform), c.share(0.75, 1), c.share(0.35, 0.55), c.share(0.15, 0.35)
	if level < strideLevel*guess || high < strideStill*before || high < peakLevel*guess {
		return false
	}
	r.state.Said = true
	rep.Violate(rule.Violation{
		Check: "large_updates", Subject: c.Name, Observed: r.state.Peak, Threshold: peakRatio, Comparator: ">=", Severity: rule.Warning, Steps: int(c.N),
		Cause:  "a learning rate that is too high: it is larger than the weights it changes",
		Remedy: "lower the learning rate by factors of ten: 1e-4 to 1e-3 is usual for Adam and AdamW, 1e-5 to 5e-5 for fine-tuning",
		Asks:   []rule.Advice{rule.LowerLearningRate},
		Message: fmt.Sprintf("The learning rate is too high: at its peak an update changes every weight element by about %s times the initial std; meanwhile the %s was %s (chance level: %s), and at the end, at a lower rate, %s.",
			times(r.state.Peak), called("loss", c.Name), meanOfSome(high, c.stepsIn(0.35, 0.55)), num(guess), c.quarter()),
		Context: map[string]any{"stride": r.state.Peak, "last_mean": level, "before": before, "high": high, "guess": k.Guess},
	})
	return true
}

// averaged reports whether a sum of losses is divided by their number: then it
// begins where a network begins that knows nothing.
func (r *rateJudge) averaged() bool {
	begin, k := r.state.Curve.begin(), &r.state.Kind
	return k.Divided && begin > 0.7*k.Uniform && begin < 1.5*k.Uniform
}
