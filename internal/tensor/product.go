package tensor

import "math"

// Product is the product of all elements of a tensor. As a number of its own it
// soon leaves the range of float64; its sign and the logarithm of its magnitude
// do not.
type Product struct {
	Sign float64 // -1, 0 or 1; NaN when there is no product
	Log  float64 // natural logarithm of the magnitude: the sum of those of the elements
	// Value is the product where float64 holds it, Fits reports whether it does:
	// neither too large nor so small that digits are lost.
	Value float64
	Fits  bool
}

// bounds within which two factors can be multiplied.
const (
	largeFactor = 0x1p500
	smallFactor = 0x1p-500
	leastNormal = 0x1p-1022
)

// ProductOf multiplies all elements, 1 without any; s are the statistics of v.
// With a NaN, or with an infinity and a zero, the product is NaN.
func ProductOf(v View, s *Stats) Product {
	inf := s.PosInf + s.NegInf
	switch {
	case s.NaN > 0 || inf > 0 && s.Zeros > 0:
		return Product{math.NaN(), math.NaN(), math.NaN(), true}
	case s.Zeros > 0:
		return Product{0, math.Inf(-1), 0, true}
	}
	m, exponent := 1.0, 0
	size := v.DType.Size()
	for p := v.Data; len(p) >= size && size > 0; p = p[size:] {
		x := decode(v.DType, p[:size])
		if a := math.Abs(x); !(a < largeFactor && a > smallFactor) {
			if math.IsInf(x, 0) {
				x = math.Copysign(1, x)
			}
			f, e := math.Frexp(x)
			x, exponent = f, exponent+e
		}
		m *= x
		if a := math.Abs(m); a >= largeFactor || a <= smallFactor {
			f, e := math.Frexp(m)
			m, exponent = f, exponent+e
		}
	}
	sign := math.Copysign(1, m)
	if inf > 0 {
		return Product{sign, math.Inf(1), math.Inf(int(sign)), true}
	}
	f, e := math.Frexp(math.Abs(m))
	exponent += e
	if f < math.Sqrt2/2 {
		f, exponent = 2*f, exponent-1
	}
	p := Product{Sign: sign, Log: math.Log(f) + float64(exponent)*math.Ln2, Value: sign * math.Ldexp(f, exponent)}
	p.Fits = isFinite(p.Value) && math.Abs(p.Value) >= leastNormal
	if !p.Fits {
		p.Value = math.NaN()
	}
	return p
}
