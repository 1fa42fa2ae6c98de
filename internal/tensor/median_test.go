package tensor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// What numpy.median and numpy.prod give of the same values as float64; of those
// that a type cannot hold, of what it holds instead.
func TestMedianAndProduct(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	floats := []DType{F64, F32, BF16, F16}
	for _, test := range []struct {
		name   string
		types  []DType
		values []float64
		median float64
		prod   float64
	}{
		{"odd", floats, []float64{3, 1, 2}, 2, 6},
		{"even", floats, []float64{4, 1, 3, 2}, 2.5, 24},
		{"one", floats, []float64{-0.5}, -0.5, -0.5},
		{"none", floats, nil, nan, 1},
		{"equal", floats, []float64{1.5, 1.5, 1.5}, 1.5, 3.375},
		{"signs", floats, []float64{-2, -3, 0.5, -1}, -1.5, -3},
		{"a zero", floats, []float64{0, 5, -2}, 0, 0},
		{"a zero with a sign", floats, []float64{math.Copysign(0, -1), 5, -2}, 0, 0},
		{"not a number", floats, []float64{1, nan, 3}, nan, nan},
		{"infinite", floats, []float64{1, inf, 3}, 3, inf},
		{"negative infinite", floats, []float64{-inf, 2}, -inf, -inf},
		{"both infinities", floats, []float64{inf, -inf}, nan, -inf},
		{"infinite beside zero", floats, []float64{0, inf, 1}, 1, nan},
		{"only infinities", floats, []float64{inf, inf}, inf, inf},
		{"too large a product", []DType{F64, F32}, []float64{1e30, -1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30}, 1e30, nan},
		{"too small a product", []DType{F64, F32}, []float64{1e-30, 1e-30, 1e-30, 1e-30, 1e-30, 1e-30, 1e-30, 1e-30, 1e-30, 1e-30, 1e-30}, 1e-30, nan},
		{"large and small", []DType{F64}, []float64{1e300, 1e300, 1e-300, 1e-300}, 5e299, 1},
		{"extremes", []DType{F64}, []float64{math.MaxFloat64, math.MaxFloat64, 0x1p-1074, 0x1p-1000}, math.MaxFloat64 / 2, math.MaxFloat64 * (math.MaxFloat64 * 0x1p-1074) * 0x1p-1000},
		{"of magnitudes", []DType{C64, C128}, nil, nan, 1},
	} {
		for _, d := range test.types {
			v := View{d, []int64{int64(len(test.values))}, encode(d, test.values)}
			s := Compute(v, false)
			median, within := Median(v, &s)
			p := ProductOf(v, &s)
			if !near(median, test.median) || within != 0 {
				t.Errorf("%s of %s: median %v, within %v; want %v", test.name, d, median, within, test.median)
			}
			if !near(p.Value, test.prod) || p.Fits != (test.name != "too large a product" && test.name != "too small a product") {
				t.Errorf("%s of %s: product %+v; want %v", test.name, d, p, test.prod)
			}
		}
	}
}

func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-6*math.Abs(b)
}

// Whole numbers, booleans, eight bits and complex numbers.
func TestMedianAndProductOfOtherTypes(t *testing.T) {
	for _, test := range []struct {
		d            DType
		data         []byte
		median, prod float64
	}{
		{Bool, []byte{0, 1, 1}, 1, 0},
		{Bool, []byte{1, 1, 0, 0}, 0.5, 0},
		{U8, []byte{200, 3, 2, 255}, 101.5, 200 * 3 * 2 * 255},
		{I8, []byte{0xff, 2, 3}, 2, -6},
		{I16, []byte{0, 0x80, 1, 0, 2, 0}, 1, -65536},
		{I64, []byte{1, 0, 0, 0, 0, 0, 0, 0x40, 2, 0, 0, 0, 0, 0, 0, 0}, 1 << 61, 1 << 63},
		{F8E4M3, []byte{0x38, 0x40, 0x30}, 1, 1},
		{C64, encode(C64, []float64{3, -3}), math.Sqrt(10), 10},
		{C128, encode(C128, []float64{7, 7, -14}), math.Sqrt(50), 2 * math.Pow(50, 1.5)},
	} {
		v := View{test.d, []int64{int64(len(test.data) / test.d.Size())}, test.data}
		s := Compute(v, false)
		median, within := Median(v, &s)
		if p := ProductOf(v, &s); !near(median, test.median) || within != 0 || !near(p.Value, test.prod) || !p.Fits {
			t.Errorf("%s % x: median %v, product %+v; want %v and %v", test.d, test.data, median, p, test.median, test.prod)
		}
	}
}

// The sign and the logarithm are there where the product is not.
func TestProductOutOfRange(t *testing.T) {
	for _, test := range []struct {
		name      string
		values    []float64
		sign, log float64
		fits      bool
	}{
		{"none", nil, 1, 0, true},
		{"a zero", []float64{-3, 0}, 0, math.Inf(-1), true},
		{"too large", slices.Repeat([]float64{-1e4}, 1001), -1, 1001 * math.Log(1e4), false},
		{"too small", slices.Repeat([]float64{1e-4}, 1000), 1, 1000 * math.Log(1e-4), false},
		{"close to one", []float64{1 + 0x1p-40}, 1, 0x1p-40, true},
		{"close to one from below", []float64{0.5, 2 - 0x1p-40}, 1, -0x1p-41, true},
		{"subnormal", []float64{0x1p-1074, 0x1p1000}, 1, -74 * math.Ln2, true},
		{"loses digits", []float64{0x1p-600, 0x1.8p-470}, 1, math.Log(1.5) - 1070*math.Ln2, false},
	} {
		v := View{F64, []int64{int64(len(test.values))}, encode(F64, test.values)}
		s := Compute(v, false)
		if p := ProductOf(v, &s); p.Sign != test.sign || !near(p.Log, test.log) || p.Fits != test.fits || test.fits == math.IsNaN(p.Value) {
			t.Errorf("%s: %+v, want sign %v, log %v, fits %v", test.name, p, test.sign, test.log, test.fits)
		}
	}
}

// The median of many elements is off by less than MedianError of the elements in
// the middle, is never farther from zero than they are, and says so.
func TestSketchedMedian(t *testing.T) {
	testenv.Unraced(t)
	const n = MedianExact + 1
	inf := math.Inf(1)
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name  string
		d     DType
		value func(i int) float64
	}{
		{"normal", F32, func(int) float64 { return random.NormFloat64() }},
		{"normal, all positive", F64, func(int) float64 { return 100 + 3*random.NormFloat64() }},
		{"normal, all negative", BF16, func(int) float64 { return -100 + 3*random.NormFloat64() }},
		{"over all magnitudes", F64, func(int) float64 { return math.Ldexp(random.Float64()-0.5, random.IntN(2040)-1020) }},
		{"half of them negative", F16, func(i int) float64 { return float64(i%2)*3 - 1 }},
		{"constant", F32, func(int) float64 { return 0.5 }},
		{"zeros", F32, func(int) float64 { return 0 }},
		{"mostly zeros", F32, func(i int) float64 { return float64(max(0, i%3-1)) }},
		{"both zeros", F64, func(i int) float64 { return math.Copysign(0, float64(i%2)-0.5) }},
		{"infinities at the ends", F64, func(i int) float64 { return []float64{-inf, 1, 2, inf}[i%4] }},
		{"mostly infinite", F64, func(i int) float64 { return []float64{inf, inf, 2}[i%3] }},
		{"all minus infinity", F32, func(i int) float64 { return -inf }},
	} {
		t.Run(test.name, func(t *testing.T) {
			values := make([]float64, n)
			for i := range values {
				values[i] = test.value(i)
			}
			v := View{test.d, []int64{n}, encode(test.d, values)}
			s := Compute(v, false)
			got, within := Median(v, &s)
			for i := range values {
				values[i] = ToFloat64(v, int64(i))
			}
			slices.Sort(values)
			want := values[n/2]
			if within != MedianError || got != want && !(math.Abs(got-want) <= MedianError*math.Abs(want) && math.Abs(got) <= math.Abs(want)) {
				t.Errorf("got %v within %v, want %v", got, within, want)
			}
		})
	}
	if k := sketches.Get().(*sketch); *k != (sketch{}) {
		t.Error("a sketch that is not in use counts something")
	}
}
