package tensor

import (
	"encoding/binary"
	"math"
)

// sift takes in float64 elements of which some are not finite, or so large that
// their sum is not: it counts those that are not and goes on with the rest.
func (a *accumulator) sift(p []byte) {
	k := 0
	for i := 0; i+8 <= len(p); i += 8 {
		b := binary.LittleEndian.Uint64(p[i:])
		binary.LittleEndian.PutUint64(a.finite[k:], b)
		if b>>52&0x7ff == 0x7ff {
			a.special(math.Float64frombits(b))
		} else {
			k += 8
		}
	}
	rest := a.finite[:k]
	if k == len(p) {
		a.large(rest)
		return
	}
	a.block64(rest, false)
}

// large takes in finite float64 elements whose sum, or that of their squares,
// is not finite. The mean is taken first, of elements made smaller by a power
// of two; then the squares, which may well be infinite.
func (a *accumulator) large(p []byte) {
	const scale = 0x1p-64 // a block has fewer elements than that
	o := sums{min: math.Inf(1), max: math.Inf(-1)}
	n := float64(len(p) / 8)
	sum := 0.0
	for i := 0; i+8 <= len(p); i += 8 {
		x := math.Float64frombits(binary.LittleEndian.Uint64(p[i:]))
		sum += x * scale
		o.l1 += math.Abs(x)
		o.min, o.max = math.Min(o.min, x), math.Max(o.max, x)
		if x == 0 {
			o.zeros++
		}
	}
	mean, m2 := sum/n/scale, 0.0
	for i := 0; i+8 <= len(p); i += 8 {
		d := math.Float64frombits(binary.LittleEndian.Uint64(p[i:])) - mean
		m2 += d * d
	}
	a.group(n, mean, m2, &o)
}
