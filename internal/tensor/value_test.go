package tensor

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

func TestToFloat64(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		d    DType
		b    []byte
		want float64
	}{
		{Bool, []byte{0}, 0}, {Bool, []byte{1}, 1}, {Bool, []byte{7}, 1},
		{U8, []byte{200}, 200}, {I8, []byte{200}, -56},
		{U16, []byte{1, 2}, 513}, {I16, []byte{0, 0x80}, -32768},
		{U32, []byte{0, 0, 0, 0x80}, 1 << 31}, {I32, []byte{0, 0, 0, 0x80}, -1 << 31},
		{U64, binary.LittleEndian.AppendUint64(nil, math.MaxUint64), 1 << 64},
		{I64, binary.LittleEndian.AppendUint64(nil, 1<<63), -1 << 63},
		{F16, []byte{0, 0x3c}, 1}, {F16, []byte{1, 0}, 0x1p-24}, {F16, []byte{0xff, 0x83}, -1023 * 0x1p-24},
		{F16, []byte{0xff, 0x7b}, 65504}, {F16, []byte{0, 0xfc}, -inf}, {F16, []byte{1, 0x7c}, nan},
		{BF16, []byte{0x80, 0x3f}, 1}, {BF16, []byte{1, 0}, 0x1p-133}, {BF16, []byte{0x80, 0xff}, -inf},
		{F32, []byte{1, 0, 0, 0}, 0x1p-149},
		{F8E4M3, []byte{0x38}, 1}, {F8E4M3, []byte{0x7e}, 448}, {F8E4M3, []byte{0x7f}, nan}, {F8E4M3, []byte{0x01}, 0x1p-9}, {F8E4M3, []byte{0xff}, nan},
		{F8E5M2, []byte{0x3c}, 1}, {F8E5M2, []byte{0x7b}, 57344}, {F8E5M2, []byte{0x7c}, inf}, {F8E5M2, []byte{0xfc}, -inf}, {F8E5M2, []byte{0x7d}, nan}, {F8E5M2, []byte{0x81}, -0x1p-16},
		{F8E8M0, []byte{127}, 1}, {F8E8M0, []byte{0}, 0x1p-127}, {F8E8M0, []byte{254}, 0x1p127}, {F8E8M0, []byte{255}, nan},
		{F8E4M3FNUZ, []byte{0x40}, 1}, {F8E4M3FNUZ, []byte{0x7f}, 240}, {F8E4M3FNUZ, []byte{0x80}, nan}, {F8E4M3FNUZ, []byte{0x01}, 0x1p-10},
		{F8E5M2FNUZ, []byte{0x40}, 1}, {F8E5M2FNUZ, []byte{0x7f}, 57344}, {F8E5M2FNUZ, []byte{0x80}, nan}, {F8E5M2FNUZ, []byte{0x01}, 0x1p-17},
		{C64, encode(C64, []float64{3}), math.Hypot(3, 1)},
		{C128, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(-3)), math.Float64bits(4)), 5},
	}
	for _, test := range tests {
		v := View{test.d, []int64{2}, append(make([]byte, test.d.Size()), test.b...)}
		if got := ToFloat64(v, 1); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s % x: %v, want %v", test.d, test.b, got, test.want)
		}
	}
}

// Every half-precision number is what its definition says, in both
// implementations.
func TestFloat16(t *testing.T) {
	both(t, func(t *testing.T) {
		var src []byte
		for h := range 1 << 16 {
			src = binary.LittleEndian.AppendUint16(src, uint16(h))
		}
		f16, bf16 := make([]byte, 2*len(src)), make([]byte, 2*len(src))
		widenF16(f16, src)
		widenBF16(bf16, src)
		for h := range 1 << 16 {
			sign, e, man := 1-2*float64(h>>15), h>>10&31, float64(h&1023)
			want := sign * math.Ldexp(1+man/1024, e-15)
			switch {
			case e == 0:
				want = sign * math.Ldexp(man/1024, -14)
			case e == 31 && man == 0:
				want = sign * math.Inf(1)
			case e == 31:
				want = math.NaN()
			}
			got := float64(math.Float32frombits(binary.LittleEndian.Uint32(f16[4*h:])))
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(got) {
				t.Fatalf("half-precision %04x: %v, want %v", h, got, want)
			}
			if b := binary.LittleEndian.Uint32(bf16[4*h:]); b != uint32(h)<<16 {
				t.Fatalf("bfloat16 %04x: %08x", h, b)
			}
		}
	})
}

// The parts of a tensor, merged in any division, give what the whole gives.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64(), 0, 60).Draw(t, "xs")
		special := rapid.SliceOfN(rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -1, math.MaxFloat64, 1e-310}), 0, 20).Draw(t, "special")
		xs = append(xs, special...)
		at := rapid.IntRange(0, len(xs)).Draw(t, "at")
		part := func(xs []float64) Stats {
			return Compute(View{F64, []int64{int64(len(xs))}, encode(F64, xs)}, true)
		}
		got, want := Merge(part(xs[:at]), part(xs[at:])), part(xs)
		if *got.Hist != *want.Hist || got.Count != want.Count || got.NonFinite() != want.NonFinite() || got.Zeros != want.Zeros {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(got.Min, want.Min) || !same(got.Max, want.Max) {
			t.Fatalf("range %v to %v, want %v to %v", got.Min, got.Max, want.Min, want.Max)
		}
		if most := math.Max(math.Abs(want.Min), math.Abs(want.Max)); math.Abs(got.Mean-want.Mean) > 1e-12*most {
			t.Fatalf("mean %v, want %v", got.Mean, want.Mean)
		}
		if !math.IsInf(want.M2, 0) && math.Abs(got.M2-want.M2) > 1e-9*want.M2+0x1p-1060 {
			t.Fatalf("M2 %v, want %v", got.M2, want.M2)
		}
	})
}

func TestMergeWithoutHistogram(t *testing.T) {
	a := Compute(View{U8, []int64{2}, []byte{1, 2}}, true)
	b := Compute(View{U8, []int64{2}, []byte{3, 4}}, false)
	if s := Merge(a, b); s.Hist != nil || s.Mean != 2.5 || s.M2 != 5 {
		t.Errorf("%+v", s)
	}
}

// The methods that give one number are NaN when it has no meaning.
func TestStrict(t *testing.T) {
	s := Compute(View{F64, []int64{4}, encode(F64, []float64{-3, 0, 1, 4})}, false)
	for name, got := range map[string][2]float64{
		"abs mean": {s.AbsMean(), 2}, "mean": {s.MeanValue(), 0.5}, "variance": {s.Variance(), 6.25},
		"std": {s.Std(), 2.5}, "l2": {s.L2(), math.Sqrt(26)}, "sum": {s.Sum(), 2}, "abs max": {s.AbsMax(), 4},
	} {
		if math.Abs(got[0]-got[1]) > 1e-15*got[1] {
			t.Errorf("%s: %v, want %v", name, got[0], got[1])
		}
	}
	for _, xs := range [][]float64{nil, {1, math.NaN()}, {math.Inf(1)}} {
		s := Compute(View{F64, []int64{int64(len(xs))}, encode(F64, xs)}, false)
		for name, got := range map[string]float64{
			"abs mean": s.AbsMean(), "mean": s.MeanValue(), "variance": s.Variance(), "std": s.Std(),
			"l2": s.L2(), "sum": s.Sum(), "abs max": s.AbsMax(),
		} {
			if !math.IsNaN(got) {
				t.Errorf("%v: %s %v", xs, name, got)
			}
		}
	}
}

// FuzzCompute holds both implementations to the plain one, on any bytes.
func FuzzCompute(f *testing.F) {
	f.Add(byte(F32), []byte{0, 0, 0x80, 0x7f, 1, 0, 0, 0})
	f.Add(byte(F16), []byte{1, 0, 0, 0x7c, 0xff, 0xff, 0, 0x80, 1, 0, 0, 0x7c, 0xff, 0xff, 0, 0x80})
	f.Add(byte(I64), make([]byte, 200))
	have := fast
	f.Fuzz(func(t *testing.T, code byte, b []byte) {
		d := DType(code%byte(F8E5M2FNUZ)) + 1
		b = b[:len(b)/d.Size()*d.Size()]
		v := View{d, []int64{int64(len(b) / d.Size())}, b}
		want := reference(v)
		defer func() { fast = have }()
		for _, fast = range []bool{false, have} {
			compareWithin(t, Compute(v, true), want, 1e-5, 1e-4, d.String())
		}
	})
}
