package chunk

import (
	"math"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// Statistic is a number that can be asked for of a row of statistics: the
// columns it is made of, and how.
type Statistic struct {
	Columns []string
	Value   func(*tensor.Stats) float64
}

var counts = []string{"count", "nan", "posinf", "neginf"}

// with adds the columns that report whether every element is finite.
func with(columns ...string) []string { return append(columns, counts...) }

// Statistics are they by name. min and max are over the finite elements,
// so that a tensor with one NaN still shows its range; the others are NaN as
// soon as one element is not finite.
var Statistics = map[string]Statistic{
	"min":      {[]string{"min"}, func(s *tensor.Stats) float64 { return s.Min }},
	"max":      {[]string{"max"}, func(s *tensor.Stats) float64 { return s.Max }},
	"abs_max":  {with("min", "max"), (*tensor.Stats).AbsMax},
	"mean":     {with("mean"), (*tensor.Stats).MeanValue},
	"std":      {with("m2"), (*tensor.Stats).Std},
	"variance": {with("m2"), (*tensor.Stats).Variance},
	"l1":       {with("l1"), l1},
	"l2":       {with("mean", "m2"), (*tensor.Stats).L2},
	"sum":      {with("mean"), (*tensor.Stats).Sum},
	"abs_mean": {with("l1"), (*tensor.Stats).AbsMean},
	"zeros":    {[]string{"zeros"}, func(s *tensor.Stats) float64 { return float64(s.Zeros) }},
	"nan":      {[]string{"nan"}, func(s *tensor.Stats) float64 { return float64(s.NaN) }},
	"inf":      {[]string{"posinf", "neginf"}, func(s *tensor.Stats) float64 { return float64(s.PosInf + s.NegInf) }},
	"posinf":   {[]string{"posinf"}, func(s *tensor.Stats) float64 { return float64(s.PosInf) }},
	"neginf":   {[]string{"neginf"}, func(s *tensor.Stats) float64 { return float64(s.NegInf) }},
	"count":    {[]string{"count"}, func(s *tensor.Stats) float64 { return float64(s.Count) }},
}

// StatisticNames is the order in which they are listed.
var StatisticNames = []string{"min", "max", "mean", "std", "variance", "abs_mean", "abs_max", "l1", "l2", "sum", "count", "zeros", "nan", "inf", "posinf", "neginf"}

// l1 is the sum of magnitudes, NaN when an element is not finite.
func l1(s *tensor.Stats) float64 {
	if s.Count == 0 || s.NonFinite() {
		return math.NaN()
	}
	return s.L1
}
