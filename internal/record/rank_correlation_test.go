package record

import (
	"math"
	"math/rand/v2"
	"testing"
)

// counted is Spearman's correlation from its definition: a rank is one more than how
// many values are less, and half of how many others are equal.
func counted(x, y []float64) float64 {
	rank := func(of []float64, i int) float64 {
		r := 0.5
		for _, v := range of {
			if v < of[i] {
				r++
			} else if v == of[i] {
				r += 0.5
			}
		}
		return r
	}
	n, sx, sy, sxy, sxx, syy := float64(len(x)), 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range x {
		a, b := rank(x, i), rank(y, i)
		sx, sy, sxy, sxx, syy = sx+a, sy+b, sxy+a*b, sxx+a*a, syy+b*b
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

func TestRankCorrelation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + random.IntN(20)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(random.IntN(6)), random.NormFloat64()
		}
		x[0], x[1] = -1, 7 // never all equal
		if got, want := RankCorrelation(x, y), counted(x, y); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v with %v: %v, want %v", x, y, got, want)
		}
	}
	if got := RankCorrelation([]float64{3, 3, 3}, []float64{1, 2, 3}); got != 0 {
		t.Errorf("of equal values: %v", got)
	}
}
