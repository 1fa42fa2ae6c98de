package tensor

import (
	"cmp"
	"math"
	"slices"
)

// Quantiles are the q-quantiles (0 to 1) of all elements, with linear
// interpolation between order statistics. Elements must be finite and there
// must be at least one. It copies the elements, those of types of at most 32
// bits as float32 where that loses nothing.
func Quantiles(v View, qs []float64) []float64 {
	switch v.DType {
	case I32, U32, I64, U64, F64, C64, C128:
		return quantiles(values[float64](v), qs)
	}
	return quantiles(values[float32](v), qs)
}

func values[T float32 | float64](v View) []T {
	size := v.DType.Size()
	out := make([]T, len(v.Data)/size)
	for i := range out {
		out[i] = T(decode(v.DType, v.Data[i*size:(i+1)*size]))
	}
	return out
}

func quantiles[T float32 | float64](x []T, qs []float64) []float64 {
	var ranks []int
	for _, q := range qs {
		pos := q * float64(len(x)-1)
		ranks = append(ranks, int(math.Floor(pos)), int(math.Ceil(pos)))
	}
	slices.Sort(ranks)
	selectRanks(x, 0, slices.Compact(ranks))
	out := make([]float64, len(qs))
	for i, q := range qs {
		pos := q * float64(len(x)-1)
		lo, hi := float64(x[int(math.Floor(pos))]), float64(x[int(math.Ceil(pos))])
		out[i] = lo + (hi-lo)*(pos-math.Floor(pos))
	}
	return out
}

// selectRanks brings those elements to their place in the order that stand
// there for one of the ranks; x begins at rank from.
func selectRanks[T cmp.Ordered](x []T, from int, ranks []int) {
	for depth := 0; len(ranks) > 0 && len(x) > 1; depth++ {
		if len(x) <= 64 || depth > 64 { // small, or the pivots were bad
			slices.Sort(x)
			return
		}
		lo, hi := partition(x)
		// x[:lo] is below the pivot, x[lo:hi] equals it, x[hi:] is above.
		a, _ := slices.BinarySearch(ranks, from+lo)
		b, _ := slices.BinarySearch(ranks, from+hi)
		selectRanks(x[:lo], from, ranks[:a])
		x, from, ranks = x[hi:], from+hi, ranks[b:]
	}
}

// partition divides x by a pivot that is the median of nine elements.
func partition[T cmp.Ordered](x []T) (lo, hi int) {
	var nine [9]T
	for i := range nine {
		nine[i] = x[i*(len(x)-1)/8]
	}
	slices.Sort(nine[:])
	p := nine[4]
	lo, i, hi := 0, 0, len(x)
	for i < hi {
		switch {
		case x[i] < p:
			x[i], x[lo] = x[lo], x[i]
			lo++
			i++
		case x[i] > p:
			hi--
			x[i], x[hi] = x[hi], x[i]
		default:
			i++
		}
	}
	return lo, hi
}

// FirstNonFinite gives the row-major positions of the first NaN, the first
// +infinity and the first -infinity, -1 for what s, the statistics of v, does
// not count.
func FirstNonFinite(v View, s *Stats) (nan, pos, neg int64) {
	nan, pos, neg = -1, -1, -1
	left := 0
	for _, n := range []int64{s.NaN, s.PosInf, s.NegInf} {
		if n > 0 {
			left++
		}
	}
	size := v.DType.Size()
	for i := 0; left > 0 && (i+1)*size <= len(v.Data); i++ {
		x := decode(v.DType, v.Data[i*size:(i+1)*size])
		if isFinite(x) {
			continue
		}
		at := &neg
		switch {
		case x != x:
			at = &nan
		case x > 0:
			at = &pos
		}
		if *at < 0 {
			*at = int64(i)
			left--
		}
	}
	return nan, pos, neg
}
