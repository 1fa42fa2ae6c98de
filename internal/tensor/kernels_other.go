//go:build !amd64

package tensor

// fast is whether the assembly is used; there is none for this machine.
var fast = false

func moments32(p []byte, c float32, out *sums)      { goMoments32(p, c, out) }
func moments64(p []byte, c float64, out *sums)      { goMoments64(p, c, out) }
func widenF16(dst, src []byte)                      { goWidenF16(dst, src) }
func widenBF16(dst, src []byte)                     { goWidenBF16(dst, src) }
func widenF32(dst, src []byte)                      { goWidenF32(dst, src) }
func hist32(p []byte, t *tables)                    { goHist32(p, t) }
func pair32(c, o []byte, r, a float64, s *pairSums) { goPair32(c, o, r, a, s) }
func between32(p []byte, n []uint32, lo, hi float32) int64 {
	return goBetween32(p, n, lo, hi)
}
