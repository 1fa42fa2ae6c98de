package tensor

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fast is whether the assembly is used. It is a variable for the tests, which
// run with and without.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C

// The functions below check sizes, so that the assembly need not; they take a
// multiple of eight elements, at least eight, unless they say otherwise.

func moments32(p []byte, c float32, out *sums) {
	if n := len(p) / 4; fast && n >= 8 {
		moments32AVX2(&p[0], n&^7, c, (*byte)(unsafe.Pointer(out)))
		return
	}
	goMoments32(p, c, out)
}

func moments64(p []byte, c float64, out *sums) {
	if n := len(p) / 8; fast && n >= 8 {
		moments64AVX2(&p[0], n&^7, c, (*byte)(unsafe.Pointer(out)))
		return
	}
	goMoments64(p, c, out)
}

// widenF16 takes any number of elements, as the two after it do.
func widenF16(dst, src []byte) {
	body := len(src) / 16 * 16
	if fast && body > 0 {
		_ = dst[2*body-1]
		widenF16AVX2(&dst[0], &src[0], body/2)
		dst, src = dst[2*body:], src[body:]
	}
	goWidenF16(dst, src)
}

func widenBF16(dst, src []byte) {
	body := len(src) / 16 * 16
	if fast && body > 0 {
		_ = dst[2*body-1]
		widenBF16AVX2(&dst[0], &src[0], body/2)
		dst, src = dst[2*body:], src[body:]
	}
	goWidenBF16(dst, src)
}

func widenF32(dst, src []byte) {
	body := len(src) / 32 * 32
	if fast && body > 0 {
		_ = dst[2*body-1]
		widenF32AVX2(&dst[0], &src[0], body/4)
		dst, src = dst[2*body:], src[body:]
	}
	goWidenF32(dst, src)
}

// momentsHist32 counts the elements in the tables too.
func momentsHist32(p []byte, c float32, out *sums, t *tables) {
	if n := len(p) / 4; fast && n >= 8 {
		momentsHist32AVX2(&p[0], n&^7, c, (*byte)(unsafe.Pointer(out)), (*byte)(unsafe.Pointer(t)))
		return
	}
	goMoments32(p, c, out)
	goHist32(p, t)
}

func pair32(cur, old []byte, rtol, atol float64, out *pairSums) {
	if n := len(cur) / 4; fast && n >= 8 {
		_ = old[len(cur)-1]
		pair32AVX2(&cur[0], &old[0], n&^7, rtol, atol, (*byte)(unsafe.Pointer(out)))
		return
	}
	goPair32(cur, old, rtol, atol, out)
}

// between32 takes any number of elements up to blockElements.
func between32(p []byte, counts []uint32, lo, hi float32) (negative int64) {
	if body := len(counts) &^ 7; fast && body > 0 {
		_ = p[4*body-1]
		negative = between32AVX2(&p[0], body, &counts[0], lo, hi)
		p, counts = p[4*body:], counts[body:]
	}
	return negative + goBetween32(p, counts, lo, hi)
}

// span32 takes any number of elements up to blockElements.
func span32(p []byte, lo, hi float32) (active, negative int64) {
	if body := len(p) / 32 * 32; fast && body > 0 {
		active, negative = span32AVX2(&p[0], body/4, lo, hi)
		p = p[body:]
	}
	a, n := goSpan32(p, lo, hi)
	return active + a, negative + n
}
