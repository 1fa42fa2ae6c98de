package tensor

import (
	"encoding/binary"
	"math"
)

// sums are what a kernel leaves of one block of elements, relative to a shift
// c that was chosen beforehand (close to the block's mean, so that the squares
// do not cancel). With any element that is not finite l1 is NaN or infinite
// and the rest has no meaning.
//
// The assembly knows the layout.
type sums struct {
	d     float64 // sum of x-c
	dd    float64 // sum of (x-c)^2
	l1    float64 // sum of |x|
	min   float64
	max   float64
	zeros int64
}

// tables count the elements of float32 blocks by their upper nine bits (sign
// and exponent). There are four, used in turn, because a counter that was just
// stored cannot be loaded again at once.
type tables [4][512]uint32

// The kernels in plain Go. They are what every machine can run, and what the
// assembly is tested against; both take little-endian bytes at any alignment.
// Those that work on blocks take a multiple of eight elements.

func goMoments32(p []byte, c float32, out *sums) {
	s := sums{min: math.Inf(1), max: math.Inf(-1)}
	for ; len(p) >= 4; p = p[4:] {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
		s.add(x, float64(c))
	}
	*out = s
}

func goMoments64(p []byte, c float64, out *sums) {
	s := sums{min: math.Inf(1), max: math.Inf(-1)}
	for ; len(p) >= 8; p = p[8:] {
		s.add(math.Float64frombits(binary.LittleEndian.Uint64(p)), c)
	}
	*out = s
}

func (s *sums) add(x, c float64) {
	d := x - c
	s.d += d
	s.dd += d * d
	s.l1 += math.Abs(x)
	if x < s.min {
		s.min = x
	}
	if x > s.max {
		s.max = x
	}
	if x == 0 {
		s.zeros++
	}
}

// goWidenF16 turns half-precision numbers into float32.
func goWidenF16(dst, src []byte) {
	for i := 0; i+2 <= len(src); i += 2 {
		f := float16(binary.LittleEndian.Uint16(src[i:]))
		binary.LittleEndian.PutUint32(dst[2*i:], math.Float32bits(f))
	}
}

// goWidenBF16 turns bfloat16 numbers into float32.
func goWidenBF16(dst, src []byte) {
	for i := 0; i+2 <= len(src); i += 2 {
		binary.LittleEndian.PutUint32(dst[2*i:], uint32(binary.LittleEndian.Uint16(src[i:]))<<16)
	}
}

// goWidenF32 turns float32 numbers into float64.
func goWidenF32(dst, src []byte) {
	for i := 0; i+4 <= len(src); i += 4 {
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(src[i:])))
		binary.LittleEndian.PutUint64(dst[2*i:], math.Float64bits(f))
	}
}

// goHist32 counts a multiple of four elements.
func goHist32(p []byte, t *tables) {
	for ; len(p) >= 16; p = p[16:] {
		t[0][binary.LittleEndian.Uint32(p)>>23]++
		t[1][binary.LittleEndian.Uint32(p[4:])>>23]++
		t[2][binary.LittleEndian.Uint32(p[8:])>>23]++
		t[3][binary.LittleEndian.Uint32(p[12:])>>23]++
	}
}

// pairSums are what a kernel leaves of one block of a pair. With any element
// that is not finite diff or older is NaN or infinite and the rest has no
// meaning. The assembly knows the layout.
type pairSums struct {
	diff     float64 // sum of |current-older|
	maxDiff  float64
	older    float64 // sum of |older|
	notClose int64
}

func goPair32(cur, old []byte, rtol, atol float64, out *pairSums) {
	var s pairSums
	for i := 0; i+4 <= len(cur); i += 4 {
		c := float64(math.Float32frombits(binary.LittleEndian.Uint32(cur[i:])))
		o := float64(math.Float32frombits(binary.LittleEndian.Uint32(old[i:])))
		s.add(c, o, rtol, atol)
	}
	*out = s
}

func (s *pairSums) add(c, o, rtol, atol float64) {
	d := math.Abs(o - c)
	s.diff += d
	s.older += math.Abs(o)
	if d > s.maxDiff {
		s.maxDiff = d
	}
	// The conversion keeps the compiler from fusing, so that all machines
	// come to the same verdict.
	if !(d <= atol+float64(rtol*math.Abs(c))) {
		s.notClose++
	}
}

// goBetween32 adds one to counts[i] when x[i] is above lo and not at or above
// hi (which may be NaN: no limit), and returns how many elements are below
// zero.
func goBetween32(p []byte, counts []uint32, lo, hi float32) (negative int64) {
	for i := range counts {
		x := math.Float32frombits(binary.LittleEndian.Uint32(p[4*i:]))
		if x > lo && !(x >= hi) {
			counts[i]++
		}
		if x < 0 {
			negative++
		}
	}
	return negative
}

// goSpan32 counts the same elements all together.
func goSpan32(p []byte, lo, hi float32) (active, negative int64) {
	for ; len(p) >= 4; p = p[4:] {
		x := math.Float32frombits(binary.LittleEndian.Uint32(p))
		if x > lo && !(x >= hi) {
			active++
		}
		if x < 0 {
			negative++
		}
	}
	return active, negative
}
