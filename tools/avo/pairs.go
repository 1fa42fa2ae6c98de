package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pair32 compares two float32 tensors in float64, so that nothing is rounded,
// overflows or vanishes. Multiplication and addition stay apart, as in Go.
func pair32() {
	TEXT("pair32AVX2", NOSPLIT, "func(current, older *byte, n int, rtol, atol float64, out *byte)")
	Doc("pair32AVX2 writes the sums of n pairs of float32 elements.")
	Pragma("noescape")
	cur, old, n := Load(Param("current"), GP64()), Load(Param("older"), GP64()), Load(Param("n"), GP64())
	rtol, atol, abs := broadcast64("rtol"), broadcast64("atol"), signless64()
	diff, older := [2]VecVirtual{zeroed(), zeroed()}, [2]VecVirtual{zeroed(), zeroed()}
	most, apart := zeroed(), zeroed()
	Label("loop")
	for i := range 2 {
		c, o, d := YMM(), YMM(), YMM()
		VCVTPS2PD(Mem{Base: cur, Disp: 16 * i}, c)
		VCVTPS2PD(Mem{Base: old, Disp: 16 * i}, o)
		VSUBPD(c, o, d)
		VANDPD(abs, d, d)
		VADDPD(d, diff[i], diff[i])
		VMAXPD(d, most, most)
		VANDPD(abs, o, o)
		VADDPD(o, older[i], older[i])
		VANDPD(abs, c, c)
		VMULPD(rtol, c, c)
		VADDPD(atol, c, c)
		VCMPPD(Imm(notLessEq), c, d, d)
		VPSUBQ(d, apart, apart)
	}
	ADDQ(Imm(32), cur)
	ADDQ(Imm(32), old)
	SUBQ(Imm(8), n)
	JG(LabelRef("loop"))

	out := Load(Param("out"), GP64())
	store(sum64(add64(diff[0], diff[1])), out, 0)
	h, x := XMM(), most.AsX()
	VEXTRACTF128(Imm(1), most, h)
	VMAXPD(h, x, x)
	VPERMILPD(Imm(1), x, h)
	VMAXPD(h, x, x)
	store(x, out, 8)
	store(sum64(add64(older[0], older[1])), out, 16)
	MOVQ(count64(apart), Mem{Base: out, Disp: 24})
	VZEROUPPER()
	RET()
}

// between32 counts per element, span32 all together.
func between32() {
	TEXT("between32AVX2", NOSPLIT, "func(p *byte, n int, counts *uint32, lo, hi float32) int64")
	Doc("between32AVX2 adds one to counts[i] when p[i] is above lo and not at or above hi, and returns how many elements are below zero.")
	Pragma("noescape")
	p, n := Load(Param("p"), GP64()), Load(Param("n"), GP64())
	counts := Load(Param("counts"), GP64())
	lo, hi, zero, negative := broadcast32("lo"), broadcast32("hi"), zeroed(), zeroed()
	Label("loop")
	m := inside(p, lo, hi, zero, negative)
	c := YMM()
	VMOVDQU(Mem{Base: counts}, c)
	VPSUBD(m, c, c)
	VMOVDQU(c, Mem{Base: counts})
	ADDQ(Imm(32), p)
	ADDQ(Imm(32), counts)
	SUBQ(Imm(8), n)
	JG(LabelRef("loop"))
	Store(count32(negative), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func span32() {
	TEXT("span32AVX2", NOSPLIT, "func(p *byte, n int, lo, hi float32) (active, negative int64)")
	Doc("span32AVX2 counts the elements above lo that are not at or above hi, and those below zero.")
	Pragma("noescape")
	p, n := Load(Param("p"), GP64()), Load(Param("n"), GP64())
	lo, hi, zero, negative, active := broadcast32("lo"), broadcast32("hi"), zeroed(), zeroed(), zeroed()
	Label("loop")
	VPSUBD(inside(p, lo, hi, zero, negative), active, active)
	ADDQ(Imm(32), p)
	SUBQ(Imm(8), n)
	JG(LabelRef("loop"))
	Store(count32(active), ReturnIndex(0))
	Store(count32(negative), ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// inside is the mask of eight elements at p with lo < x and not x >= hi; those
// below zero are counted.
func inside(p Register, lo, hi, zero, negative VecVirtual) VecVirtual {
	x, m := YMM(), YMM()
	VMOVUPS(Mem{Base: p}, x)
	VCMPPS(Imm(less), zero, x, m)
	VPSUBD(m, negative, negative)
	VCMPPS(Imm(greater), lo, x, m)
	VCMPPS(Imm(notGrtrEq), hi, x, x)
	VANDPS(x, m, m)
	return m
}
