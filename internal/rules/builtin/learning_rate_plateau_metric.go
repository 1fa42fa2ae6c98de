package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	leastMetrics  = 4    // calls of the scheduler
	mostOf        = 5000 // samples that a share is counted of
	barely        = 0.005
	fallenMetrics = 0.7 // of the first: what falls so far from the start is a loss
)

// wrongWay looks for a scheduler that waits for a metric to fall and is given
// one that rises when the training goes well, such as an accuracy, or the
// reverse: it lowers the rate because the training goes well. A loss that rises
// because of overfitting is none of these.
func (r *rateJudge) wrongWay(f *rule.Facts, rep *rule.Report) {
	if r.state.Said || f.Schedule == nil || f.Schedule.Plateau == nil {
		return
	}
	p := f.Schedule.Plateau
	m := numbersOf(p.Metrics)
	if len(m) < leastMetrics || len(p.Lowered) == 0 || slices.ContainsFunc(m, func(x float64) bool { return !finite(x) }) {
		return
	}
	third := max(len(m)/3, 1)
	begin, end := meanOf(m[:third]), meanOf(m[len(m)-third:])
	share, chosen := counted(m), f.Graph != nil && f.Graph.Policy != nil // what a policy collects may fall
	var way, right, kind string
	switch {
	case p.Mode == "min" && share && end > 0.5*scaleOf(m) && end > begin && slices.Max(m) > m[0]:
		way, right, kind = "fall", "max", "rises"
	case p.Mode == "max" && !share && !chosen && m[0] > 0 && end < fallenMetrics*m[0] && m[0] == slices.Max(m):
		way, right, kind = "rise", "min", "falls"
	default:
		return
	}
	wrong := 0
	for _, at := range p.Lowered {
		if betterWithin(m, at, int(p.Patience)+1, right) {
			wrong++
		}
	}
	if !betterWithin(m, p.Lowered[0], int(p.Patience)+1, right) { // those after it may come of a rate that is gone
		return
	}
	r.state.Said = true
	first, last := m[0], m[len(m)-1]
	rep.Violate(rule.Violation{
		Check: "wrong_plateau_mode", Subject: "ReduceLROnPlateau", Observed: float64(wrong), Threshold: 0, Comparator: ">", Severity: rule.Warning, Steps: int(updates(f)),
		Cause:  "ReduceLROnPlateau has the mode of a loss but monitors an accuracy, or the reverse",
		Remedy: fmt.Sprintf("set mode=%q in ReduceLROnPlateau, or pass what its mode expects: a loss for min, an accuracy for max", right),
		Message: fmt.Sprintf("ReduceLROnPlateau lowers the learning rate although training goes well: it waits for the metric to %s (mode=%q), while it %s, from %s to %s: %s of the rate, %d of them right after a new best value.",
			way, p.Mode, kind, num(first), num(last), plural(len(p.Lowered), "reduction"), wrong),
		Context: map[string]any{"mode": p.Mode, "metrics": m, "lowered": p.Lowered},
	})
}

func numbersOf(ns []record.Number) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = float64(n)
	}
	return out
}

func meanOf(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s / float64(len(xs))
}

// counted reports whether numbers are shares, or percentages, of one number of
// samples: four different ones at least. What is
// rounded to a few digits tells nothing.
func counted(m []float64) bool {
	scale := scaleOf(m)
	if slices.Min(m) < 0 || slices.Max(m) > scale || len(slices.Compact(slices.Sorted(slices.Values(m)))) < 4 {
		return false
	}
	whole := func(n float64) bool {
		return !slices.ContainsFunc(m, func(x float64) bool {
			samples := x / scale * n
			return math.Abs(samples-math.Round(samples)) > 1e-6*n
		})
	}
	if whole(1000) || whole(1e5) { // rounded, maybe
		return false
	}
	for n := 10.0; n <= mostOf; n++ {
		if whole(n) {
			return true
		}
	}
	return false
}

// scaleOf is what all samples are: 1, or 100 where numbers are percentages.
func scaleOf(m []float64) float64 {
	if slices.Max(m) > 1 {
		return 100
	}
	return 1
}

// betterWithin reports whether one of the last n metrics up to a place was better
// than all before it, by half a hundredth: what is less may not count as better.
func betterWithin(m []float64, at, n int, mode string) bool {
	for i := max(at-n+1, 1); i <= at && i < len(m); i++ {
		most, least := slices.Max(m[:i]), slices.Min(m[:i])
		if mode == "max" && m[i] > most+barely*math.Abs(most) || mode == "min" && m[i] < least-barely*math.Abs(least) {
			return true
		}
	}
	return false
}
