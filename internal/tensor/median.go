package tensor

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// MedianExact is the number of elements up to which Median is exact.
const MedianExact = 1 << 20

// MedianError is how far a median of more elements may be off: each of the one
// or two elements in the middle is known to this share of its magnitude, and
// never taken for larger than it is.
const MedianError = 1.0 / (1 << sketchMantissa)

// Median is the middle of all elements in their order, or the mean of the two
// in the middle: NaN without elements and with one that is NaN; infinities
// stand at the ends of the order. s are the statistics of v. within is 0 for
// an exact value, else MedianError.
func Median(v View, s *Stats) (value, within float64) {
	switch {
	case s.Count == 0 || s.NaN > 0:
		return math.NaN(), 0
	case s.Count > MedianExact:
		return sketchedMedian(v, s), MedianError
	}
	switch v.DType {
	case I32, U32, I64, U64, F64, C64, C128:
		return exactMedian(values[float64](v)), 0
	}
	return exactMedian(values[float32](v)), 0
}

func exactMedian[T float32 | float64](x []T) float64 {
	low, high := (len(x)-1)/2, len(x)/2
	selectRanks(x, 0, slices.Compact([]int{low, high}))
	return between(float64(x[low]), float64(x[high]))
}

// between is the mean of the two elements in the middle.
func between(a, b float64) float64 {
	if a == b {
		return a + 0 // never -0
	}
	if m := (a + b) / 2; !math.IsInf(m, 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return m
	}
	return a/2 + b/2
}

// The sketch counts elements by sign, exponent and the first bits of the
// mantissa, in the order of their values. Only the memory of buckets in use is
// touched.
const (
	sketchMantissa = 10
	sketchBits     = 1 + 11 + sketchMantissa
	sketchShift    = 64 - sketchBits
	sketchHalf     = 1 << (sketchBits - 1)
)

type sketch [2 * sketchHalf]uint64

// sketches are zero whenever nobody uses them.
var sketches = sync.Pool{New: func() any { return new(sketch) }}

// bucket is the place of a value among the buckets.
func bucket(x float64) int {
	top := int(math.Float64bits(x) >> sketchShift)
	if top >= sketchHalf { // negative: the larger the magnitude, the smaller
		return 2*sketchHalf - 1 - top
	}
	return sketchHalf + top
}

// edge is the bound of a bucket that is nearer to zero.
func edge(i int) float64 {
	top := uint64(i - sketchHalf)
	if i < sketchHalf {
		top = uint64(2*sketchHalf - 1 - i)
	}
	return math.Float64frombits(top << sketchShift)
}

func sketchedMedian(v View, s *Stats) float64 {
	k := sketches.Get().(*sketch)
	defer sketches.Put(k)
	k.count(v)
	first, last := bucket(math.Inf(1)), bucket(math.Inf(-1))
	if s.Finite() > 0 {
		first, last = bucket(s.Min), bucket(s.Max)
		if s.Zeros > 0 { // both of them have the magnitude of zero
			first, last = min(first, bucket(math.Copysign(0, -1))), max(last, bucket(0))
		}
	}
	if s.NegInf > 0 {
		first = bucket(math.Inf(-1))
		last = max(last, first)
	}
	if s.PosInf > 0 {
		last = bucket(math.Inf(1))
		first = min(first, last)
	}
	used := k[first : last+1]
	at := func(rank uint64) float64 {
		for i, n := range used {
			if rank < n {
				return edge(first + i)
			}
			rank -= n
		}
		return math.NaN()
	}
	n := uint64(s.Count)
	m := between(at((n-1)/2), at(n/2))
	clear(used)
	return m
}

// count adds all elements.
func (k *sketch) count(v View) {
	size := v.DType.Size()
	p := v.Data
	switch v.DType {
	case F32:
		for ; len(p) >= 4; p = p[4:] {
			k[bucket(float64(math.Float32frombits(binary.LittleEndian.Uint32(p))))]++
		}
	case BF16:
		for ; len(p) >= 2; p = p[2:] {
			k[bucket(float64(bfloat16(binary.LittleEndian.Uint16(p))))]++
		}
	default:
		for ; len(p) >= size; p = p[size:] {
			k[bucket(decode(v.DType, p[:size]))]++
		}
	}
}
