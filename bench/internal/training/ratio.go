package training

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// Ratio of two sums over paired turns, with the interval in which 95 of 100
// repetitions of the measurement would lie: bootstrap (Efron, 1979) over
// sessions and over the turns in each, because a process keeps through its life
// the speed that its place in memory gives it.
type Ratio struct {
	Mid  float64 `json:"mid"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// RatioOf takes a and b by session and turn; both have the same shape.
func RatioOf(a, b [][]float64) Ratio {
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
	return Ratio{sums(func(_, i int) int { return i }), again[draws*25/1000], again[draws*975/1000]}
}

func (r Ratio) String() string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	return f(r.Mid) + "x | " + f(r.Low) + "–" + f(r.High)
}
