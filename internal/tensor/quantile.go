package tensor

import "math"

// Quantile estimates the q-quantile (0 to 1) of the finite elements from the
// histogram; NaN without one, without a finite element or with q out of range.
//
// The position q*(n-1) is looked up in the buckets in the order of their
// values, and inside a bucket the elements are taken as evenly spread. The
// answer lies in the bucket that holds the true quantile or between it and the
// next element, so it is of the right sign and within a factor of two; 0 and 1
// give the exact minimum and maximum.
func (s *Stats) Quantile(q float64) float64 {
	n := s.Finite()
	if s.Hist == nil || n <= 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	switch q {
	case 0:
		return s.Min
	case 1:
		return s.Max
	}
	pos := q * float64(n-1)
	var before float64
	for i := 0; i <= 2*buckets; i++ {
		lo, hi, c := s.bucket(i)
		if c == 0 {
			continue
		}
		if pos < before+float64(c) {
			lo, hi = math.Max(lo, s.Min), math.Min(hi, s.Max)
			return lo + (hi-lo)*math.Min((pos-before+0.5)/float64(c), 1)
		}
		before += float64(c)
	}
	return s.Max
}

// bucket is the i-th group of equal-exponent elements in the order of their
// values, with the zeros in the middle, and the range its elements lie in.
func (s *Stats) bucket(i int) (lo, hi float64, count int64) {
	switch {
	case i < buckets:
		e := MaxExp - i
		lo, hi = -math.Ldexp(1, e+1), -math.Ldexp(1, e)
		if e == MaxExp {
			lo = math.Inf(-1)
		}
		if e == MinExp {
			hi = 0
		}
		return lo, hi, s.Hist.Neg[e-MinExp]
	case i == buckets:
		return 0, 0, s.Zeros
	}
	e := MinExp + i - buckets - 1
	lo, hi = math.Ldexp(1, e), math.Ldexp(1, e+1)
	if e == MinExp {
		lo = 0
	}
	if e == MaxExp {
		hi = math.Inf(1)
	}
	return lo, hi, s.Hist.Pos[e-MinExp]
}
