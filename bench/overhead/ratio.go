package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// ratio of two sums over paired turns, with the interval in which 95 of 100
// repetitions of the measurement would lie: bootstrap (Efron, 1979) over
// sessions and over the turns in each, because a process keeps through its life
// the speed that its place in memory gives it.
type ratio struct{ mid, low, high float64 }

// ratioOf takes a and b by session and turn; both have the same shape.
func ratioOf(a, b [][]float64) ratio {
	sums := func(pick func(n, otherwise int) int) float64 {
		var x, y float64
		for s := range a {
			s = pick(len(a), s)
			for i := range a[s] {
				k := pick(len(a[s]), i)
				x += a[s][k]
				y += b[s][k]
			}
		}
		return x / y
	}
	const draws = 2000
	rng := rand.New(rand.NewPCG(1, 2)) // the same turns give the same interval
	again := make([]float64, draws)
	for d := range again {
		again[d] = sums(func(n, _ int) int { return rng.IntN(n) })
	}
	slices.Sort(again)
	return ratio{sums(func(_, i int) int { return i }), again[draws*25/1000], again[draws*975/1000]}
}

func (r ratio) String() string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	return f(r.mid) + "x | " + f(r.low) + "–" + f(r.high)
}
