package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// widen makes the three kernels that bring elements to a type of twice the
// size; their blocks stay in the first-level cache.
func widen() {
	for _, k := range []struct {
		name, doc string
		perStep   int // bytes read for one vector
		convert   func(src, dst Op)
	}{
		{"widenF16AVX2", "widenF16AVX2 turns n half-precision numbers into float32.", 16, func(src, dst Op) {
			VCVTPH2PS(src, dst)
		}},
		{"widenBF16AVX2", "widenBF16AVX2 turns n bfloat16 numbers into float32.", 16, func(src, dst Op) {
			VPMOVZXWD(src, dst)
			VPSLLD(Imm(16), dst, dst)
		}},
		{"widenF32AVX2", "widenF32AVX2 turns n float32 numbers into float64.", 16, func(src, dst Op) {
			VCVTPS2PD(src, dst)
		}},
	} {
		TEXT(k.name, NOSPLIT, "func(dst, src *byte, n int)")
		Doc(k.doc)
		Pragma("noescape")
		dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
		elements := 8
		if k.name == "widenF32AVX2" {
			elements = 4
		}
		Label("loop")
		for i := range 8 / elements {
			v := YMM()
			k.convert(Mem{Base: src, Disp: k.perStep * i}, v)
			VMOVUPS(v, Mem{Base: dst, Disp: 32 * i})
		}
		ADDQ(Imm(uint64(k.perStep*8/elements)), src)
		ADDQ(Imm(uint64(32*8/elements)), dst)
		SUBQ(Imm(8), n)
		JG(LabelRef("loop"))
		VZEROUPPER()
		RET()
	}
}
