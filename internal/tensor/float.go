package tensor

import (
	"encoding/binary"
	"math"
)

// ToFloat64 is element i of the view in row-major order as a float64: integers
// and booleans are converted (64-bit integers round to nearest), complex
// numbers give their magnitude. It panics when i is out of range or the
// element type is unknown, as an index expression would.
func ToFloat64(v View, i int64) float64 {
	size := int64(v.DType.Size())
	return decode(v.DType, v.Data[i*size:(i+1)*size])
}

// decode reads one element from exactly its bytes.
func decode(d DType, b []byte) float64 {
	le := binary.LittleEndian
	switch d {
	case U16:
		return float64(le.Uint16(b))
	case I16:
		return float64(int16(le.Uint16(b)))
	case U32:
		return float64(le.Uint32(b))
	case I32:
		return float64(int32(le.Uint32(b)))
	case U64:
		return float64(le.Uint64(b))
	case I64:
		return float64(int64(le.Uint64(b)))
	case F16:
		return float64(float16(le.Uint16(b)))
	case BF16:
		return float64(bfloat16(le.Uint16(b)))
	case F32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case F64:
		return math.Float64frombits(le.Uint64(b))
	case C64:
		return math.Hypot(float64(math.Float32frombits(le.Uint32(b))), float64(math.Float32frombits(le.Uint32(b[4:]))))
	case C128:
		return math.Hypot(math.Float64frombits(le.Uint64(b)), math.Float64frombits(le.Uint64(b[8:])))
	}
	if t := byteValues(d); t != nil {
		return t[b[0]]
	}
	panic("tensor: element type " + d.String() + " has no value")
}

// bfloat16 widens the upper half of a float32.
func bfloat16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// float16 widens an IEEE 754 half-precision number. It is exact, subnormals
// included.
func float16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	man := uint32(h & 0x3ff)
	switch exp {
	case 0:
		f := float32(man) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | man<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
}
