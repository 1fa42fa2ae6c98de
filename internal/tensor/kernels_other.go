//go:build !amd64

package tensor

// fast is whether assembly is used; there is none for this machine.
var fast = false

func moments32(p []byte, c float32, out *sums) { goMoments32(p, c, out) }

func moments64(p []byte, c float64, out *sums) { goMoments64(p, c, out) }

func widenF16(dst, src []byte) { goWidenF16(dst, src) }

func widenBF16(dst, src []byte) { goWidenBF16(dst, src) }

func widenF32(dst, src []byte) { goWidenF32(dst, src) }

func momentsHist32(p []byte, c float32, out *sums, t *tables) {
	goMoments32(p, c, out)
	goHist32(p, t)
}

func pair32(cur, old []byte, rtol, atol float64, out *pairSums) {
	goPair32(cur, old, rtol, atol, out)
}

func between32(p []byte, counts []uint32, lo, hi float32) int64 {
	return goBetween32(p, counts, lo, hi)
}

func span32(p []byte, lo, hi float32) (active, negative int64) { return goSpan32(p, lo, hi) }
