package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// both runs a test with every implementation that this machine has.
func both(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	have := fast
	for _, use := range []bool{false, true} {
		if use && !have {
			continue
		}
		t.Run(map[bool]string{false: "go", true: "assembly"}[use], func(t *testing.T) {
			fast = use
			defer func() { fast = have }()
			f(t)
		})
	}
}

// reference computes statistics the plain way: one element after the other,
// the mean before the squares, sums in high precision.
func reference(v View) Stats {
	s := Stats{Min: math.NaN(), Max: math.NaN(), Hist: new(Histogram)}
	var finite []float64
	n := len(v.Data) / v.DType.Size()
	for i := range int64(n) {
		x := ToFloat64(v, i)
		s.Count++
		switch {
		case math.IsNaN(x):
			s.NaN++
			continue
		case math.IsInf(x, 1):
			s.PosInf++
			continue
		case math.IsInf(x, -1):
			s.NegInf++
			continue
		case x == 0:
			s.Zeros++
		default:
			e := min(max(int(math.Floor(math.Log2(math.Abs(x)))), MinExp), MaxExp)
			// Log2 rounds: put right what lies just next to a power of two.
			if a := math.Abs(x); e > MinExp && a < math.Ldexp(1, e) {
				e--
			} else if e < MaxExp && a >= math.Ldexp(1, e+1) {
				e++
			}
			if x < 0 {
				s.Hist.Neg[e-MinExp]++
			} else {
				s.Hist.Pos[e-MinExp]++
			}
		}
		if len(finite) == 0 {
			s.Min, s.Max = x, x
		}
		s.Min, s.Max = math.Min(s.Min, x), math.Max(s.Max, x)
		finite = append(finite, x)
	}
	if len(finite) == 0 {
		return s
	}
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	sum, l1, m2, d := wide(0), wide(0), wide(0), wide(0)
	for _, x := range finite {
		sum.Add(sum, d.SetFloat64(x))
		l1.Add(l1, d.SetFloat64(math.Abs(x)))
	}
	mean := sum.Quo(sum, wide(float64(len(finite))))
	for _, x := range finite {
		d.Sub(d.SetFloat64(x), mean)
		m2.Add(m2, d.Mul(d, d))
	}
	s.Mean, _ = mean.Float64()
	s.L1, _ = l1.Float64()
	s.M2, _ = m2.Float64()
	return s
}

// compare fails when got is not want, within what is to be expected of data
// that are not made to round in one direction.
func compare(t *testing.T, got, want Stats, what string) {
	t.Helper()
	compareWithin(t, got, want, 1e-6, 1e-6, what)
}

// compareWithin takes the relative errors allowed in L1 and in M2.
func compareWithin(t *testing.T, got, want Stats, l1, m2 float64, what string) {
	t.Helper()
	type counts struct{ count, nan, pos, neg, zeros int64 }
	g := counts{got.Count, got.NaN, got.PosInf, got.NegInf, got.Zeros}
	w := counts{want.Count, want.NaN, want.PosInf, want.NegInf, want.Zeros}
	if g != w {
		t.Errorf("%s: counts %+v, want %+v", what, g, w)
	}
	same := func(name string, got, want float64) {
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %s %v, want %v", what, name, got, want)
		}
	}
	near := func(name string, got, want, tol float64) {
		if got != want && !(math.Abs(got-want) <= tol) {
			t.Errorf("%s: %s %v, want %v within %v", what, name, got, want, tol)
		}
	}
	same("min", got.Min, want.Min)
	same("max", got.Max, want.Max)
	n := float64(max(want.Finite(), 1))
	near("l1", got.L1, want.L1, l1*want.L1)
	spread := math.Sqrt(want.M2 / n)
	if want.M2 < 0x1p-960 {
		// The squares are too small for a float64 to tell the spread.
		spread = math.Max(math.Abs(want.Min), math.Abs(want.Max))
	}
	near("mean", got.Mean, want.Mean, m2*spread+1e-13*math.Abs(want.Mean)+0x1p-1074)
	// What rounding of the elements themselves to float64 leaves of M2.
	floor := n * math.Pow(0x1p-50*math.Max(math.Abs(want.Min), math.Abs(want.Max)), 2)
	if math.IsNaN(floor) || math.IsInf(floor, 0) {
		floor = 0
	}
	near("m2", got.M2, want.M2, m2*want.M2+floor+0x1p-1060)
	if (got.Hist == nil) != (want.Hist == nil) {
		t.Fatalf("%s: histogram %v, want %v", what, got.Hist != nil, want.Hist != nil)
	}
	if got.Hist != nil && *got.Hist != *want.Hist {
		for i := range 2 * buckets {
			if g, w := *got.Hist.at(i), *want.Hist.at(i); g != w {
				t.Errorf("%s: bucket %d has %d, want %d", what, i, g, w)
			}
		}
	}
}

// encode writes float64 values as elements of a type, rounding as it likes.
func encode(d DType, xs []float64) []byte {
	b := make([]byte, 0, len(xs)*d.Size())
	for _, x := range xs {
		switch d {
		case F64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		case F32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		case BF16:
			b = binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(x))>>16))
		case F16:
			b = binary.LittleEndian.AppendUint16(b, toFloat16(x))
		case C64:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(-x/3)))
		case C128:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x/7))
		}
	}
	return b
}

func toFloat16(x float64) uint16 {
	b := math.Float32bits(float32(x))
	sign, e, man := uint16(b>>16&0x8000), int(b>>23&0xff)-112, uint16(b>>13&0x3ff)
	switch {
	case b&0x7f800000 == 0x7f800000 && b&0x7fffff != 0:
		return sign | 0x7e00
	case e >= 31:
		return sign | 0x7c00
	case e <= 0:
		return sign | uint16(math.Min(math.Abs(x)*(1<<24), 1023))
	}
	return sign | uint16(e)<<10 | man
}

func fillWith(n int, f func(i int) float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = f(i)
	}
	return xs
}

// hostile are kinds of data that break careless kernels.
func hostile(r *rand.Rand) map[string]func(i int) float64 {
	inf, nan := math.Inf(1), math.NaN()
	pick := func(xs ...float64) func(int) float64 {
		return func(int) float64 { return xs[r.IntN(len(xs))] }
	}
	return map[string]func(i int) float64{
		"normal":         func(int) float64 { return r.NormFloat64() },
		"relu":           func(int) float64 { return math.Max(0, r.NormFloat64()) },
		"zeros":          func(int) float64 { return 0 },
		"minus zeros":    func(int) float64 { return math.Copysign(0, -1) },
		"both zeros":     pick(0, math.Copysign(0, -1)),
		"ones":           func(int) float64 { return 1 },
		"constant":       func(int) float64 { return 0.1 },
		"large mean":     func(int) float64 { return 1e6 + r.NormFloat64() },
		"larger mean":    func(int) float64 { return -1e30 * (1 + 1e-6*r.NormFloat64()) },
		"drift":          func(i int) float64 { return float64(i)*1e4 + r.NormFloat64() },
		"jumps":          func(i int) float64 { return float64(i/2048)*1e7 + r.NormFloat64() },
		"first far off":  func(i int) float64 { return map[bool]float64{true: 1e10, false: 0}[i == 0] + r.NormFloat64() },
		"last far off":   func(i int) float64 { return map[bool]float64{true: 1e18, false: 0}[i%2048 == 2047] + 1 },
		"float32 max":    pick(math.MaxFloat32, -math.MaxFloat32),
		"big float32":    func(int) float64 { return 1e25 * r.NormFloat64() },
		"some big":       func(i int) float64 { return map[bool]float64{true: 1e30, false: 1}[i%3000 == 5] * r.NormFloat64() },
		"tiny":           func(int) float64 { return 1e-25 * r.NormFloat64() },
		"tiny and big":   func(i int) float64 { return math.Pow(10, 70*r.Float64()-37) },
		"subnormal":      func(int) float64 { return 1e-41 * r.NormFloat64() },
		"half subnormal": func(int) float64 { return 3e-6 * r.NormFloat64() },
		"subnormal+zero": pick(0, math.Copysign(0, -1), 1e-42, -3e-45, 2),
		"one nan":        func(i int) float64 { return map[bool]float64{true: nan, false: 1}[i == 7] * r.NormFloat64() },
		"nan":            func(int) float64 { return nan },
		"inf":            func(int) float64 { return inf },
		"minus inf":      func(int) float64 { return -inf },
		"mixed":          pick(nan, inf, -inf, 0, 1, -2.5),
		"rarely special": func(i int) float64 {
			return pick(r.NormFloat64(), pick(r.NormFloat64(), pick(nan, inf, -inf)(i))(i))(i)
		},
		"double max":    pick(math.MaxFloat64, -math.MaxFloat64, 1),
		"double range":  func(int) float64 { return math.Exp(1400*r.Float64() - 700) },
		"small double":  func(int) float64 { return 1e-140 * r.NormFloat64() },
		"powers of two": func(i int) float64 { return math.Ldexp(1-2*float64(i&1), i%277-149) },
	}
}

var floats = []DType{F16, BF16, F32, F64, C64, C128}

// example is a tensor with its plainly computed statistics.
type example struct {
	name string
	view View
	want Stats
}

func check(t *testing.T, examples []example) {
	both(t, func(t *testing.T) {
		for _, e := range examples {
			compare(t, Compute(e.view, true), e.want, e.name)
			if t.Failed() {
				return
			}
		}
	})
}

func TestComputeFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var examples []example
	for name, f := range hostile(r) {
		for _, d := range floats {
			sizes := []int{1, 7, 8, 31, 300}
			switch d {
			case F32: // all others come to blocks of it or of F64
				sizes = append(sizes, 9, 16, 24, 511, 512, 1024, 2048, 5007)
			case F64:
				sizes = append(sizes, 16, 2049)
			}
			for _, n := range sizes {
				v := View{d, []int64{int64(n)}, encode(d, fillWith(n, f))}
				examples = append(examples, example{fmt.Sprintf("%s %s %d", name, d, n), v, reference(v)})
			}
		}
	}
	check(t, examples)
}

func TestComputeEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var examples []example
	for d := Bool; d <= F8E5M2FNUZ; d++ {
		raw := make([]byte, 301*17)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		for n := range 301 {
			if n%13 > 1 && d != F32 && d != BF16 && d != F64 {
				continue // these have nothing of their own to get wrong
			}
			at := n % 16 // any alignment
			v := View{d, []int64{int64(n)}, raw[at:][:n*d.Size()]}
			examples = append(examples, example{fmt.Sprintf("%s %d", d, n), v, reference(v)})
		}
	}
	check(t, examples)
}

func TestComputeWithoutHistogram(t *testing.T) {
	both(t, func(t *testing.T) {
		v := View{F32, []int64{5000}, encode(F32, fillWith(5000, func(i int) float64 { return float64(i % 7) }))}
		want := reference(v)
		want.Hist = nil
		compare(t, Compute(v, false), want, "without")
	})
}

func TestComputeUnknownType(t *testing.T) {
	s := Compute(View{Invalid, []int64{3}, nil}, true)
	if s.Count != 0 || !math.IsNaN(s.Min) {
		t.Errorf("unknown type: %+v", s)
	}
}

// A result is not allowed to depend on what was computed before it.
func TestComputeLeavesNothingBehind(t *testing.T) {
	both(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		v := View{F32, []int64{9000}, encode(F32, fillWith(9000, func(int) float64 { return r.NormFloat64() }))}
		a := Compute(v, true)
		Compute(View{F32, []int64{9000}, encode(F32, fillWith(9000, func(int) float64 { return math.NaN() }))}, true)
		b := Compute(v, true)
		h, g := a.Hist, b.Hist
		a.Hist, b.Hist = nil, nil
		if a != b || *h != *g {
			t.Errorf("the second result differs: %+v and %+v", a, b)
		}
	})
}

func TestComputeAllocates(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, d := range []DType{F16, BF16, F32, F64, I64, U8} {
			v := View{d, []int64{4001}, make([]byte, 4001*d.Size())}
			for _, hist := range []bool{false, true} {
				want := 0.0
				if hist {
					want = 1
				}
				if got := testing.AllocsPerRun(20, func() { Compute(v, hist) }); got > want {
					t.Errorf("%s hist=%t: %v allocations, want at most %v", d, hist, got, want)
				}
			}
		}
	})
}

// The worst that can happen to sums in float32: one large element per lane,
// and all others just too small to count next to it.
func TestWorstRounding(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, first := range []int{0, 2048} {
			xs := fillWith(first+2048, func(i int) float64 {
				if i >= first && i < first+16 {
					return 1
				}
				return 0x0.ffp-24
			})
			v := View{F32, []int64{int64(len(xs))}, encode(F32, xs)}
			compareWithin(t, Compute(v, true), reference(v), 1e-5, 1e-4, fmt.Sprint("large from ", first))
		}
	})
}
