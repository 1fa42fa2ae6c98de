package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	reachSteps = 50   // least length of a training
	reachShare = 0.01 // of a weight's deviation that all updates together can have come
	reachLevel = 0.85 // share of the first loss that is left at least

	stillReach = 0.05 // the same of a training whose loss has not come down by more than
	stillLevel = 0.95 // a twentieth

	guessReach = 0.2  // the same of a classifier that knows less at the end than
	guessLevel = 0.97 // how often each class is
)

// evenOptimisers divide by the size of the gradients: their updates move every
// element of a weight by about the rate.
var evenOptimisers = []string{"Adam", "AdamW", "NAdam", "Adamax"}

// reachOf is the mean rate of a training in deviations of a weight, the median
// over weights, where it does not rise to the end: what an update moves an element
// by, at the most. Of plain gradient descent it is in lengths of all weights, and
// slope is what the loss would lose on a way as long as the weights. 0 where that
// is not known.
func reachOf(f *rule.Facts) (reach, slope float64) {
	s := f.Schedule
	if s == nil || len(s.Rates) == 0 || f.Parameters.More > 0 || len(f.Optimisers) != 1 {
		return 0, 0
	}
	top, last := slices.Max(s.Rates), s.Rates[len(s.Rates)-1]
	if top <= 0 || s.Initial != nil && *s.Initial > 1.3*top || last > 1.01*s.Rates[0] && last == top {
		return 0, 0 // it rises, or is to
	}
	rate := meanRate(s)
	if o := &f.Optimisers[0]; !slices.Contains(evenOptimisers, o.Class) {
		pull, slope := pullOf(f, o)
		return rate * pull, slope
	}
	var each []float64
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Trained && p.Held && mixing(p) && p.First != nil && p.First.NonFinite == 0 && p.First.Std > 0 {
			each = append(each, rate/float64(p.First.Std))
		}
	}
	if len(each) == 0 {
		return 0, 0
	}
	return median(each), 0
}

// pullOf is how far an update of plain gradient descent moves the weights for each
// unit of the rate, in lengths of the weights: what the gradients of the first
// updates, as they were used, and momentum give. 0 where that is not known.
func pullOf(f *rule.Facts, o *rule.OptimiserFacts) (pull, slope float64) {
	if o.Class != "SGD" || len(o.Groups) == 0 || o.Groups[0].LR == nil || f.Updates == nil || len(f.Updates.Norms) == 0 {
		return 0, 0
	}
	carried := 0.0
	for _, g := range o.Groups {
		if g.LR == nil || *g.LR != *o.Groups[0].LR || g.Maximize {
			return 0, 0
		}
		if g.Momentum != nil {
			carried = max(carried, *g.Momentum)
		}
	}
	most, sum := 0.0, 0.0
	for _, n := range f.Updates.Norms {
		if !finite(float64(n)) {
			return 0, 0
		}
		most = max(most, float64(n))
	}
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Trained && p.Held && mixing(p) {
			if p.First == nil || p.First.NonFinite > 0 {
				return 0, 0
			}
			sum += float64(elementsOf(p.Shape)) * float64(p.First.Std) * float64(p.First.Std)
		}
	}
	if carried >= 1 || sum == 0 {
		return 0, 0
	}
	length := math.Sqrt(sum)
	return most / (1 - carried) / length, medianOf(f.Updates.Norms) * length
}

// meanRate is the rate of an update on average, the first known one before it.
func meanRate(s *rule.ScheduleFacts) float64 {
	sum, from, rate := 0.0, int64(0), s.Rates[0]
	for i, to := range s.Steps {
		if i < len(s.Rates) && to > from {
			sum += float64(to-from) * (rate + s.Rates[i]) / 2
			from, rate = to, s.Rates[i]
		}
	}
	if from == 0 {
		return rate
	}
	return sum / float64(from)
}

// outOfReach looks for a training that is too short for its rate: a network that
// begins with random weights, all updates of which together move them by less
// than a hundredth of their size. It takes no curve to know that; where they come
// farther, a classifier shows it that has not even learnt how frequent classes are.
func (r *rateJudge) outOfReach(rep *rule.Report) {
	c := &r.state.Curve
	way := r.state.Reach * float64(c.N)
	begin, level := r.start(), c.share(0.75, 1)
	if r.state.Said || r.state.Motion.Half || r.state.Motion.idle() || !r.state.Fresh || way <= 0 || way >= guessReach || c.N < reachSteps || begin <= 0 || level < reachLevel*begin {
		return
	}
	if r.state.Slope > 0 && r.state.Slope < begin {
		return // what holds the weights is that hardly a gradient comes, not the rate
	}
	most := reachShare
	switch {
	case way < reachShare:
	case way < stillReach && level >= stillLevel*begin && !r.state.Chosen:
		most = stillReach
	default:
		k := &r.state.Kind
		if !k.classifies() || k.summed() && !r.averaged() || k.Guess <= 0 || level < guessLevel*min(k.Guess, k.Uniform) {
			return
		}
		most = guessReach
	}
	r.state.Said = true
	usual, moved := "1e-3 is a common start for Adam", "an element of a weight by at most %s %% of the std of the weights"
	if r.state.Slope > 0 {
		usual, moved = "1e-2 is a common start for SGD", "the weights by at most %s %% of their norm"
	}
	rep.Violate(rule.Violation{
		Check: "weights_hardly_moved", Subject: c.Name, Observed: way, Threshold: most, Comparator: "<", Severity: rule.Warning, Steps: int(c.N),
		Cause:  "a learning rate that is too low",
		Remedy: "raise the learning rate by factors of ten until the loss moves; " + usual,
		Asks:   []rule.Advice{rule.RaiseLearningRate},
		Message: fmt.Sprintf("The learning rate is too low: all %d updates together change "+moved+", which were initialised randomly, and the %s is still %s, initially %s.",
			c.N, num(100*way), called("loss", c.Name), c.quarter(), r.began()),
		Context: map[string]any{"way": way, "first": begin, "last_mean": level},
	})
}
