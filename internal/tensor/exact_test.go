package tensor

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

// Quantiles agree with those of the sorted elements, for every element type.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]DType{F16, BF16, F32, F64}).Draw(t, "type")
		few := rapid.SampledFrom([]float64{-3, 0, 1, 2, 100})
		wide := rapid.Float64Range(-100, 100)
		gen := rapid.OneOf(few, wide)
		if rapid.Bool().Draw(t, "ties") {
			gen = few
		}
		n := rapid.IntRange(1, 500).Draw(t, "n")
		x := make([]float64, n)
		for i := range x {
			x[i] = gen.Draw(t, "x")
		}
		v := View{d, []int64{int64(n)}, encode(d, x)}
		sorted := make([]float64, n)
		for i := range sorted {
			sorted[i] = ToFloat64(v, int64(i))
		}
		slices.Sort(sorted)
		qs := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 60).Draw(t, "qs")
		qs = append(qs, 0, 1, 0.5)
		got := Quantiles(v, qs)
		for i, q := range qs {
			pos := q * float64(n-1)
			lo, hi := sorted[int(math.Floor(pos))], sorted[int(math.Ceil(pos))]
			if want := lo + (hi-lo)*(pos-math.Floor(pos)); got[i] != want {
				t.Fatalf("quantile %v of %v is %v, want %v", q, sorted, got[i], want)
			}
		}
	})
}

func TestQuantilesOfIntegers(t *testing.T) {
	for _, v := range []View{
		{U8, []int64{5}, []byte{4, 0, 3, 1, 2}},
		{Bool, []int64{2}, []byte{0, 1}},
		{I32, []int64{3}, []byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}},
	} {
		top := float64(v.Shape[0] - 1)
		if got := Quantiles(v, []float64{0.5, 0.25, 1}); !slices.Equal(got, []float64{top / 2, top / 4, top}) {
			t.Errorf("%s: %v", v.DType, got)
		}
	}
}

func TestFirstNonFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		d    DType
		x    []float64
		want [3]int64
	}{
		{F32, []float64{1, 2}, [3]int64{-1, -1, -1}},
		{F64, []float64{1, inf, nan, -inf, nan, inf}, [3]int64{2, 1, 3}},
		{F16, []float64{0, 0, -inf}, [3]int64{-1, -1, 2}},
		{BF16, []float64{nan}, [3]int64{0, -1, -1}},
	} {
		v := View{c.d, []int64{int64(len(c.x))}, encode(c.d, c.x)}
		s := Compute(v, false)
		a, b, n := FirstNonFinite(v, &s)
		if got := [3]int64{a, b, n}; got != c.want {
			t.Errorf("%s %v: %v, want %v", c.d, c.x, got, c.want)
		}
	}
}
