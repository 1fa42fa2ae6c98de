package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// frozenStatistics finds batch normalisation in a frozen part that goes on
// averaging: what the part computes changes although nothing of it is trained.
// Statistics that were never those of data have to be averaged first.
var frozenStatistics = rule.Judged[*rule.Facts]{
	Check: rule.Check{
		ID: "evaluation_mode/frozen_statistics", Files: []string{"evaluation_mode_frozen_statistics.go"}, Severity: rule.Info, CauseClass: "eval-mode", Scope: rule.ScopeGeneral,
		When:     "All parameters of a part of the model are frozen, and the running statistics of batch normalisation in it move far.",
		Evidence: "running means move by up to {observed} standard deviations, limit {threshold}; variances to {ratio} times; seen over {batches} batches; {modules}",
		Cause:    "requires_grad is off, but the frozen part is in training mode, in which batch normalisation updates its running statistics",
		Remedy:   "call eval() on the frozen part after each model.train()",
	},
	Judge: func(f *rule.Facts, _ rule.Params) []rule.Evidence {
		if f.Parameters == nil {
			return nil
		}
		var modules, parts []string
		var batches int64
		distance, ratio := 0.0, 1.0
		for i := range f.Parameters.Averaged {
			a := &f.Parameters.Averaged[i]
			d, q := goal(a)
			if neverAveraged(a) || d < farDistance && off(q) < farRatio {
				continue
			}
			modules, batches = append(modules, a.Module), max(batches, a.Batches)
			if part := modelName(a.Part); !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
			distance = max(distance, d)
			if off(q) > off(ratio) {
				ratio = q
			}
		}
		if len(modules) == 0 {
			return nil
		}
		return []rule.Evidence{{
			Subject: modules[0], Observed: distance, Threshold: farDistance, Comparator: ">=", Steps: int(f.Parameters.Updates),
			Message: fmt.Sprintf("%s frozen (requires_grad=False), but batch normalisation in it goes on averaging: the running statistics of %s move to those of other data (mean up to %s std away, variance %s times). Call eval() on what is frozen.",
				these(parts, "is", "are"), someNames(modules), num(distance), num(ratio)),
			Context: map[string]any{"modules": modules, "parts": parts, "batches": batches, "ratio": ratio},
		}}
	},
}

// From here on the data that running statistics move to is other data: the mean of
// the median channel lies that many standard deviations away, or its variance is
// that many times as large or as small.
const (
	farDistance = 0.5
	farRatio    = 2
)

// goal is where running statistics are going, by how far they have come on the way:
// the distance of the mean and the ratio of the variance of the median channel; no
// other place while they have hardly set out.
func goal(a *rule.AveragedFact) (distance, ratio float64) {
	way := float64(a.Batches) / float64(max(a.Began+a.Batches, 1))
	if a.Momentum != nil {
		way = 1 - math.Pow(1-*a.Momentum, float64(a.Batches))
	}
	distance, ratio = float64(a.Distance), float64(a.Ratio)
	if !finite(distance) || !(ratio > 0) || way < 0.1 {
		return 0, 1
	}
	return distance / way, max(1+(ratio-1)/way, leastRatio)
}

// leastRatio is the least ratio of variances that can be told from what batches
// have shown so far.
const leastRatio = 0.01

// off is by how much a factor is more, or less, than 1.
func off(ratio float64) float64 { return max(ratio, 1/ratio) }

// neverAveraged reports whether running statistics may still be mostly what they
// began with: a variance of 1, of which each batch takes away its share at the most.
func neverAveraged(a *rule.AveragedFact) bool {
	if a.Momentum == nil {
		return a.Began < 20
	}
	left := math.Pow(1-*a.Momentum, float64(a.Began))
	return left > 0.1 && float64(a.Least) >= 0.99*left
}
