package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// plainPair compares element by element.
func plainPair(cur, old View, o PairOptions) PairStats {
	n := int64(len(cur.Data) / cur.DType.Size())
	s := PairStats{Count: n}
	for i := range n {
		c, p := ToFloat64(cur, i), ToFloat64(old, i)
		near := math.Abs(p-c) <= o.ATol+float64(o.RTol*math.Abs(c))
		if math.IsInf(c, 0) || math.IsInf(p, 0) {
			near = c == p
		}
		if math.IsNaN(c) && math.IsNaN(p) {
			near = o.EqualNaN
		}
		if o.Close && !near {
			s.NotClose++
		}
		d := math.Abs(p-c) + 0*c + 0*p // NaN for what is not finite
		s.MeanAbsDiff += d
		if d > s.MaxAbsDiff || math.IsNaN(d) { // stays NaN: nothing is greater
			s.MaxAbsDiff = d
		}
		s.MeanAbsFrom += math.Abs(p) + 0*p
	}
	s.MeanAbsDiff /= float64(n)
	s.MeanAbsFrom /= float64(n)
	if n == 0 {
		s.MaxAbsDiff = math.NaN()
	}
	return s
}

func comparePair(t *testing.T, got, want PairStats, what string) {
	t.Helper()
	near := func(name string, got, want float64) {
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) && !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("%s: %s %v, want %v", what, name, got, want)
		}
	}
	if got.Count != want.Count || got.NotClose != want.NotClose {
		t.Errorf("%s: %d elements, %d not close, want %d and %d", what, got.Count, got.NotClose, want.Count, want.NotClose)
	}
	near("mean |diff|", got.MeanAbsDiff, want.MeanAbsDiff)
	near("max |diff|", got.MaxAbsDiff, want.MaxAbsDiff)
	near("mean |older|", got.MeanAbsFrom, want.MeanAbsFrom)
}

func TestPair(t *testing.T) {
	both(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		data := hostile(r)
		for name, f := range data {
			for _, d := range floats {
				sizes := []int{0, 1, 7, 8, 50}
				if d == F32 {
					sizes = append(sizes, 9, 2048, 2101)
				}
				for _, n := range sizes {
					cur := View{d, []int64{int64(n)}, encode(d, fillWith(n, f))}
					old := View{d, cur.Shape, encode(d, fillWith(n, func(i int) float64 {
						switch r.IntN(4) {
						case 0:
							return f(i)
						case 1:
							return ToFloat64(cur, int64(i)) * (1 + 1e-5*r.NormFloat64())
						}
						return ToFloat64(cur, int64(i))
					}))}
					for _, o := range []PairOptions{{}, {Close: true, RTol: 1e-5, ATol: 1e-8}, {Close: true, EqualNaN: true, RTol: 1e-2}} {
						comparePair(t, ComputePair(cur, old, o), plainPair(cur, old, o), fmt.Sprintf("%s %s %d %+v", name, d, n, o))
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}

func TestPairOfDifferentTypes(t *testing.T) {
	both(t, func(t *testing.T) {
		xs := fillWith(100, func(i int) float64 { return float64(i) / 4 })
		o := PairOptions{Close: true}
		for _, a := range floats {
			for _, b := range floats {
				cur, old := View{a, []int64{100}, encode(a, xs)}, View{b, []int64{100}, encode(b, xs)}
				comparePair(t, ComputePair(cur, old, o), plainPair(cur, old, o), fmt.Sprintf("%s %s", a, b))
			}
		}
	})
}

func TestPairVectors(t *testing.T) {
	f := func(xs ...float64) View { return View{F32, []int64{int64(len(xs))}, encode(F32, xs)} }
	nan, inf := math.NaN(), math.Inf(1)
	tests := map[string]struct {
		cur, old View
		o        PairOptions
		want     PairStats
	}{
		"shape":           {f(1, 2), f(1), PairOptions{}, PairStats{ShapeChanged: true}},
		"within rtol":     {f(1.00001), f(1), PairOptions{Close: true, RTol: 1e-4}, PairStats{1, 1.0013580322265625e-05, 1.0013580322265625e-05, 1, 0, false}},
		"nan":             {f(nan), f(nan), PairOptions{Close: true}, PairStats{1, nan, nan, nan, 1, false}},
		"equal nan":       {f(nan), f(nan), PairOptions{Close: true, EqualNaN: true}, PairStats{1, nan, nan, nan, 0, false}},
		"nan and number":  {f(nan), f(1), PairOptions{Close: true, EqualNaN: true}, PairStats{1, nan, nan, 1, 1, false}},
		"equal infinity":  {f(inf, -inf), f(inf, -inf), PairOptions{Close: true}, PairStats{2, nan, nan, nan, 0, false}},
		"other infinity":  {f(inf), f(-inf), PairOptions{Close: true, RTol: 1}, PairStats{1, nan, nan, nan, 1, false}},
		"infinity, close": {f(inf), f(1), PairOptions{Close: true, RTol: 1}, PairStats{1, nan, nan, 1, 1, false}},
		"not asked":       {f(1), f(2), PairOptions{}, PairStats{1, 1, 1, 2, 0, false}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ComputePair(test.cur, test.old, test.o)
			if got.ShapeChanged != test.want.ShapeChanged {
				t.Errorf("shape changed: %t", got.ShapeChanged)
			}
			comparePair(t, got, test.want, name)
		})
	}
}

func TestPairInParts(t *testing.T) {
	both(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		normal := func(int) float64 { return r.NormFloat64() }
		cur, old := encode(F32, fillWith(5000, normal)), encode(F32, fillWith(5000, normal))
		var a PairAccumulator
		for i := 0; i < 20000; {
			n := min(4*(1+r.IntN(900)), 20000-i)
			a.Add(F32, cur[i:i+n], F32, old[i:i+n], PairOptions{})
			i += n
		}
		v := []int64{5000}
		comparePair(t, a.Stats(), plainPair(View{F32, v, cur}, View{F32, v, old}, PairOptions{}), "parts")
	})
}
