package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// ratio of two sums over paired turns, with the interval in which 95 of 100
// repetitions of the measurement would lie (bootstrap over the turns; Efron,
// 1979).
type ratio struct{ mid, low, high float64 }

// ratioOf needs as many values in a as in b.
func ratioOf(a, b []float64) ratio {
	sums := func(pick func(int) int) float64 {
		var x, y float64
		for i := range a {
			k := pick(i)
			x += a[k]
			y += b[k]
		}
		return x / y
	}
	const draws = 2000
	rng := rand.New(rand.NewPCG(1, 2)) // the same turns give the same interval
	again := make([]float64, draws)
	for d := range again {
		again[d] = sums(func(int) int { return rng.IntN(len(a)) })
	}
	slices.Sort(again)
	return ratio{sums(func(i int) int { return i }), again[draws*25/1000], again[draws*975/1000]}
}

// quantile is the order statistic next to the share q.
func quantile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[int(q*float64(len(s)-1)+0.5)]
}

func (r ratio) String() string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	return f(r.mid) + "x | " + f(r.low) + "–" + f(r.high)
}
