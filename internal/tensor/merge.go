package tensor

import "math"

// Merge gives the statistics of two parts taken together (Chan's formula), so
// that parts of a tensor may be computed apart. The result has a histogram
// only when both have one; it shares no memory with a or b.
func Merge(a, b Stats) Stats {
	r := Stats{
		Count:  a.Count + b.Count,
		NaN:    a.NaN + b.NaN,
		PosInf: a.PosInf + b.PosInf,
		NegInf: a.NegInf + b.NegInf,
		Zeros:  a.Zeros + b.Zeros,
		L1:     a.L1 + b.L1,
	}
	if a.Hist != nil && b.Hist != nil {
		h := *a.Hist
		h.Add(b.Hist)
		r.Hist = &h
	}
	na, nb := a.Finite(), b.Finite()
	switch {
	case nb == 0:
		r.Min, r.Max, r.Mean, r.M2 = a.Min, a.Max, a.Mean, a.M2
	case na == 0:
		r.Min, r.Max, r.Mean, r.M2 = b.Min, b.Max, b.Mean, b.M2
	default:
		r.Min, r.Max = math.Min(a.Min, b.Min), math.Max(a.Max, b.Max)
		r.Mean, r.M2 = chan2(float64(na), a.Mean, a.M2, float64(nb), b.Mean, b.M2)
	}
	return r
}

// chan2 unites two groups by Chan's formula. Where the distance of the means
// does not fit a float64 the mean is weighted instead, so that it stays finite.
func chan2(na, ma, sa, nb, mb, sb float64) (mean, m2 float64) {
	n := na + nb
	d := mb - ma
	if math.IsInf(d, 0) {
		return ma*(na/n) + mb*(nb/n), math.Inf(1)
	}
	return ma + d*(nb/n), sa + sb + d*d*(na*nb/n)
}
