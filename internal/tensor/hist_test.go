package tensor

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

func TestHistogramBinary(t *testing.T) {
	var h Histogram
	for x, n := range map[float64]int64{-3: 5, -0.25: 1, 1e-45: 2, 1: 300, 1.5: 1, math.MaxFloat32: 7} {
		h.add(x, n)
	}
	got, err := h.AppendBinary([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	// Six elements in five buckets: -3 has exponent 1 and is number 126, -0.25
	// exponent -2 and 129, 1e-45 exponent -149 and 277, 1 and 1.5 exponent 0
	// and 426, the largest float32 exponent 127 and 553.
	want := append([]byte("before"), 5, 126, 5, 2, 1, 147, 1, 2, 148, 1, 173, 2, 126, 7)
	if !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var back Histogram
	if err := back.UnmarshalBinary(got[6:]); err != nil || back != h {
		t.Errorf("read back: %v, equal: %t", err, back == h)
	}
}

func TestHistogramBinaryRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":             {},
		"too many buckets":    {0xab, 0x04},
		"cut off":             {2, 5, 1},
		"bucket out of range": {1, 0xaa, 0x04, 1},
		"beyond the last":     {2, 0xa9, 0x04, 1, 0, 1},
		"count of zero":       {1, 5, 0},
		"count too large":     {1, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"long spelling":       {1, 0x85, 0x00, 1},
		"more after it":       {1, 5, 1, 9},
	} {
		if err := new(Histogram).UnmarshalBinary(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzHistogram(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{5, 126, 5, 2, 1, 147, 1, 2, 148, 1, 173, 2, 126, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Histogram
		if h.UnmarshalBinary(b) != nil {
			return
		}
		if again, _ := h.MarshalBinary(); !bytes.Equal(again, b) {
			t.Errorf("%v is read and written as %v", b, again)
		}
		if h.Total() < 0 {
			t.Error("the total overflows")
		}
	})
}

func TestHistogramAnyData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64(), 1, 300).Draw(t, "xs")
		s := Compute(View{F64, []int64{int64(len(xs))}, encode(F64, xs)}, true)
		if s.Hist.Total() != s.Finite()-s.Zeros {
			t.Fatalf("%d counted, want %d", s.Hist.Total(), s.Finite()-s.Zeros)
		}
		b, _ := s.Hist.MarshalBinary()
		var back Histogram
		if err := back.UnmarshalBinary(b); err != nil || back != *s.Hist {
			t.Fatal("not read back", err)
		}
	})
}

func TestQuantile(t *testing.T) {
	xs := fillWith(1000, func(i int) float64 { return float64(i) - 300 })
	s := Compute(View{F64, []int64{1000}, encode(F64, xs)}, true)
	for q, want := range map[float64]float64{0: -300, 1: 699, 0.3: 0, 0.1: -200, 0.05: -250, 0.95: 649, 0.5: 200} {
		got := s.Quantile(q)
		if math.Abs(got-want) > 0.25*math.Abs(want)+1 {
			t.Errorf("quantile %v: %v, want about %v", q, got, want)
		}
	}
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		if got := s.Quantile(q); !math.IsNaN(got) {
			t.Errorf("quantile %v: %v", q, got)
		}
	}
	s.Hist = nil
	if got := s.Quantile(0.5); !math.IsNaN(got) {
		t.Errorf("without a histogram: %v", got)
	}
	none := Compute(View{F64, []int64{0}, nil}, true)
	if got := none.Quantile(0); !math.IsNaN(got) {
		t.Errorf("without elements: %v", got)
	}
}

// An estimate lies in the bucket of the true quantile (or next to it, where the
// true one falls between two buckets), and grows with q.
func TestQuantileAnyData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e30, 1e30), 1, 200).Draw(t, "xs")
		s := Compute(View{F64, []int64{int64(len(xs))}, encode(F64, xs)}, true)
		slices.Sort(xs)
		last := math.Inf(-1)
		for q := 0.0; q <= 1; q += 0.125 {
			got := s.Quantile(q)
			if got < last || got < s.Min || got > s.Max {
				t.Fatalf("quantile %v is %v after %v, of %v to %v", q, got, last, s.Min, s.Max)
			}
			last = got
			i := q * float64(len(xs)-1)
			lo, hi := xs[int(math.Floor(i))], xs[int(math.Ceil(i))]
			if under := bucketFloor(lo); got < under {
				t.Fatalf("quantile %v is %v, below %v", q, got, under)
			}
			if over := -bucketFloor(-hi); got > over {
				t.Fatalf("quantile %v is %v, above %v", q, got, over)
			}
		}
	})
}

// bucketFloor is the least value that is counted together with x.
func bucketFloor(x float64) float64 {
	if x == 0 {
		return 0
	}
	_, e := math.Frexp(x)
	if e-1 <= MinExp {
		return map[bool]float64{true: math.Ldexp(-1, MinExp+1), false: 0}[x < 0]
	}
	if x < 0 {
		return -math.Ldexp(1, e)
	}
	return math.Ldexp(1, e-1)
}
