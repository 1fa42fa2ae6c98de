package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Predicates of VCMPPS and VCMPPD.
const (
	equal     = 0x00
	less      = 0x11
	greater   = 0x1e
	notLessEq = 0x16
	notGrtrEq = 0x19
)

// moments32 sums float32 elements relative to a shift. Two sets of
// accumulators hide the latency of the additions; with the constants and two
// temporaries they fill the sixteen registers.
//
// With hist the elements are counted by their upper nine bits in the same loop:
// the increments keep other parts of the processor busy than the sums do. No
// table is used twice within four elements, because a counter that was just
// stored cannot be loaded again at once.
func moments32(hist bool) {
	var table Register
	if hist {
		TEXT("momentsHist32AVX2", NOSPLIT, "func(p *byte, n int, c float32, out, tables *byte)")
		Doc("momentsHist32AVX2 does the same and counts the elements by sign and exponent.")
		Pragma("noescape")
		table = Load(Param("tables"), GP64())
	} else {
		TEXT("moments32AVX2", NOSPLIT, "func(p *byte, n int, c float32, out *byte)")
		Doc("moments32AVX2 writes the sums of n float32 elements relative to c.")
		Pragma("noescape")
	}
	p, n := Load(Param("p"), GP64()), Load(Param("n"), GP64())
	shift, abs, zero := broadcast32("c"), signless32(), zeroed()
	d, dd, l := [2]VecVirtual{zeroed(), zeroed()}, [2]VecVirtual{zeroed(), zeroed()}, [2]VecVirtual{zeroed(), zeroed()}
	var lo, hi [2]VecVirtual
	for i := range 2 {
		lo[i], hi[i] = YMM(), YMM()
		VMOVUPS(Mem{Base: p}, lo[i])
		VMOVUPS(Mem{Base: p}, hi[i])
	}
	zeros := zeroed()
	x, t := YMM(), YMM()
	step := func(i int) {
		VMOVUPS(Mem{Base: p, Disp: 32 * i}, x)
		VSUBPS(shift, x, t)
		VADDPS(t, d[i], d[i])
		VFMADD231PS(t, t, dd[i])
		VMINPS(x, lo[i], lo[i])
		VMAXPS(x, hi[i], hi[i])
		VCMPPS(Imm(equal), zero, x, t)
		VPSUBD(t, zeros, zeros)
		VANDPS(abs, x, x)
		VADDPS(x, l[i], l[i])
		if hist {
			count(p, table, 32*i)
		}
	}
	SUBQ(Imm(16), n)
	JL(LabelRef("rest"))
	Label("loop")
	step(0)
	step(1)
	ADDQ(Imm(64), p)
	SUBQ(Imm(16), n)
	JGE(LabelRef("loop"))
	Label("rest")
	CMPQ(n, Imm(0))
	JE(LabelRef("eight"))
	CMPQ(n, I32(-8))
	JL(LabelRef("done"))
	Label("eight")
	step(0)
	Label("done")

	out := Load(Param("out"), GP64())
	VMINPS(lo[1], lo[0], lo[0])
	VMAXPS(hi[1], hi[0], hi[0])
	for i, s := range [][2]VecVirtual{d, dd, l} {
		store(sum64(add64(widened(s[0]), widened(s[1]))), out, 8*i)
	}
	for i, v := range []VecVirtual{lo[0], hi[0]} {
		r, x := XMM(), v.AsX()
		best := []func(...Op){VMINPS, VMAXPS}[i]
		VEXTRACTF128(Imm(1), v, r)
		best(r, x, x)
		VPERMILPS(Imm(0x4e), x, r)
		best(r, x, x)
		VPERMILPS(Imm(0xb1), x, r)
		best(r, x, x)
		VCVTSS2SD(x, x, x)
		store(x, out, 24+8*i)
	}
	r := count32(zeros)
	MOVQ(r, Mem{Base: out, Disp: 40})
	VZEROUPPER()
	RET()
}

// count counts eight elements, two at a time.
func count(p, table Register, disp int) {
	for i := range 4 {
		hi, lo := GP64(), GP64()
		MOVQ(Mem{Base: p, Disp: disp + 8*i}, hi)
		MOVL(hi.As32(), lo.As32())
		SHRQ(Imm(55), hi)
		SHRL(Imm(23), lo.As32())
		k := 2 * i % 4
		INCL(Mem{Base: table, Index: lo, Scale: 4, Disp: 2048 * k})
		INCL(Mem{Base: table, Index: hi, Scale: 4, Disp: 2048 * (k + 1)})
	}
}

// moments64 is moments32 for float64.
func moments64() {
	TEXT("moments64AVX2", NOSPLIT, "func(p *byte, n int, c float64, out *byte)")
	Doc("moments64AVX2 writes the sums of n float64 elements relative to c.")
	Pragma("noescape")
	p, n := Load(Param("p"), GP64()), Load(Param("n"), GP64())
	shift, abs, zero := broadcast64("c"), signless64(), zeroed()
	d, dd, l := [2]VecVirtual{zeroed(), zeroed()}, [2]VecVirtual{zeroed(), zeroed()}, [2]VecVirtual{zeroed(), zeroed()}
	var lo, hi [2]VecVirtual
	for i := range 2 {
		lo[i], hi[i] = YMM(), YMM()
		VMOVUPD(Mem{Base: p}, lo[i])
		VMOVUPD(Mem{Base: p}, hi[i])
	}
	zeros := zeroed()
	x, t := YMM(), YMM()
	Label("loop")
	for i := range 2 {
		VMOVUPD(Mem{Base: p, Disp: 32 * i}, x)
		VSUBPD(shift, x, t)
		VADDPD(t, d[i], d[i])
		VFMADD231PD(t, t, dd[i])
		VMINPD(x, lo[i], lo[i])
		VMAXPD(x, hi[i], hi[i])
		VCMPPD(Imm(equal), zero, x, t)
		VPSUBQ(t, zeros, zeros)
		VANDPD(abs, x, x)
		VADDPD(x, l[i], l[i])
	}
	ADDQ(Imm(64), p)
	SUBQ(Imm(8), n)
	JG(LabelRef("loop"))

	out := Load(Param("out"), GP64())
	VMINPD(lo[1], lo[0], lo[0])
	VMAXPD(hi[1], hi[0], hi[0])
	for i, s := range [][2]VecVirtual{d, dd, l} {
		store(sum64(add64(s[0], s[1])), out, 8*i)
	}
	for i, v := range []VecVirtual{lo[0], hi[0]} {
		r, x := XMM(), v.AsX()
		best := []func(...Op){VMINPD, VMAXPD}[i]
		VEXTRACTF128(Imm(1), v, r)
		best(r, x, x)
		VPERMILPD(Imm(1), x, r)
		best(r, x, x)
		store(x, out, 24+8*i)
	}
	MOVQ(count64(zeros), Mem{Base: out, Disp: 40})
	VZEROUPPER()
	RET()
}
