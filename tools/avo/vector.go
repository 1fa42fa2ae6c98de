package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func zeroed() VecVirtual {
	v := YMM()
	VXORPS(v, v, v)
	return v
}

// signless32 and signless64 have all bits of each element set but the sign.
func signless32() VecVirtual {
	v := YMM()
	VPCMPEQD(v, v, v)
	VPSRLD(Imm(1), v, v)
	return v
}

func signless64() VecVirtual {
	v := YMM()
	VPCMPEQD(v, v, v)
	VPSRLQ(Imm(1), v, v)
	return v
}

// broadcast32 and broadcast64 hold a parameter in every element.
func broadcast32(param string) VecVirtual {
	v := YMM()
	VBROADCASTSS(address(param), v)
	return v
}

func broadcast64(param string) VecVirtual {
	v := YMM()
	VBROADCASTSD(address(param), v)
	return v
}

func address(param string) Mem {
	c, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// widened adds the halves of eight float32 as four float64.
func widened(v VecVirtual) VecVirtual {
	lo, hi, h := YMM(), YMM(), XMM()
	VCVTPS2PD(v.AsX(), lo)
	VEXTRACTF128(Imm(1), v, h)
	VCVTPS2PD(h, hi)
	return add64(lo, hi)
}

func add64(a, b VecVirtual) VecVirtual {
	VADDPD(b, a, a)
	return a
}

// sum64 adds up four float64.
func sum64(v VecVirtual) Register {
	h, x := XMM(), v.AsX()
	VEXTRACTF128(Imm(1), v, h)
	VADDPD(h, x, x)
	VPERMILPD(Imm(1), x, h)
	VADDSD(h, x, x)
	return x
}

// store writes the lowest float64 of x.
func store(x, out Register, at int) { VMOVSD(x, Mem{Base: out, Disp: at}) }

// count32 adds up eight uint32 counters, count64 four of 64 bits.
func count32(v VecVirtual) Register {
	h, x := XMM(), v.AsX()
	VEXTRACTI128(Imm(1), v, h)
	VPADDD(h, x, x)
	VPSHUFD(Imm(0x4e), x, h)
	VPADDD(h, x, x)
	VPSHUFD(Imm(0xb1), x, h)
	VPADDD(h, x, x)
	r := GP64()
	VMOVD(x, r.As32())
	return r
}

func count64(v VecVirtual) Register {
	h, x := XMM(), v.AsX()
	VEXTRACTI128(Imm(1), v, h)
	VPADDQ(h, x, x)
	VPSHUFD(Imm(0x4e), x, h)
	VPADDQ(h, x, x)
	r := GP64()
	VMOVQ(x, r)
	return r
}
