package tensor

import "math"

// byteTables hold the value of each of the 256 elements of the one-byte types.
// Tensors of these types are counted by element first, which makes every
// statistic of them exact.
var byteTables = map[DType]*[256]float64{}

func init() {
	fill := func(d DType, f func(b byte) float64) {
		t := new([256]float64)
		for i := range t {
			t[i] = f(byte(i))
		}
		byteTables[d] = t
	}
	fill(Bool, func(b byte) float64 {
		if b != 0 {
			return 1
		}
		return 0
	})
	fill(U8, func(b byte) float64 { return float64(b) })
	fill(I8, func(b byte) float64 { return float64(int8(b)) })
	fill(F8E8M0, func(b byte) float64 {
		if b == 0xff {
			return math.NaN()
		}
		return math.Ldexp(1, int(b)-127)
	})
	// The E4M3 of the OCP standard has no infinity: all bits set is NaN.
	fill(F8E4M3, func(b byte) float64 {
		if b&0x7f == 0x7f {
			return math.NaN()
		}
		return minifloat(b, 3, 7)
	})
	fill(F8E5M2, func(b byte) float64 {
		switch {
		case b&0x7f == 0x7c:
			return math.Inf(1 - 2*int(b>>7))
		case b&0x7f > 0x7c:
			return math.NaN()
		}
		return minifloat(b, 2, 15)
	})
	// The FNUZ variants have one zero, one NaN (where minus zero would be), no
	// infinity, and an exponent bias larger by one.
	fnuz := func(mantissa, bias int) func(b byte) float64 {
		return func(b byte) float64 {
			if b == 0x80 {
				return math.NaN()
			}
			return minifloat(b, mantissa, bias)
		}
	}
	fill(F8E4M3FNUZ, fnuz(3, 8))
	fill(F8E5M2FNUZ, fnuz(2, 16))
}

// minifloat reads sign, exponent and mantissa of one byte without any special
// values.
func minifloat(b byte, mantissa, bias int) float64 {
	exp := int(b&0x7f) >> mantissa
	man := float64(b & (1<<mantissa - 1))
	scale := float64(int(1) << mantissa)
	v := math.Ldexp(man/scale, 1-bias)
	if exp > 0 {
		v = math.Ldexp(1+man/scale, exp-bias)
	}
	if b&0x80 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// byteValues is the table of a one-byte type, nil for other types.
func byteValues(d DType) *[256]float64 {
	switch d {
	case Bool, U8, I8, F8E4M3, F8E5M2, F8E8M0, F8E4M3FNUZ, F8E5M2FNUZ:
		return byteTables[d]
	}
	return nil
}
