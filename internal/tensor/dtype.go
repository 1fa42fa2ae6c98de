// Package tensor holds what a captured tensor is: its element type, a view of
// its bytes, and the statistics computed from it. It knows nobody else.
package tensor

import "fmt"

// DType is an element type. The numbers are part of the wire protocol
// (docs/protocol.md) and never change their meaning.
type DType uint8

// The element types that safetensors names, and complex128, which it does not
// (a complex128 tensor is stored as pairs of F64).
const (
	Invalid DType = iota
	Bool
	U8
	I8
	U16
	I16
	U32
	I32
	U64
	I64
	F16
	BF16
	F32
	F64
	F8E4M3
	F8E5M2
	F8E8M0
	C64
	C128
	F8E4M3FNUZ
	F8E5M2FNUZ
)

var dtypes = [...]struct {
	name string
	size int
}{
	Invalid: {"invalid", 0},
	Bool:    {"BOOL", 1}, U8: {"U8", 1}, I8: {"I8", 1}, U16: {"U16", 2}, I16: {"I16", 2},
	U32: {"U32", 4}, I32: {"I32", 4}, U64: {"U64", 8}, I64: {"I64", 8},
	F16: {"F16", 2}, BF16: {"BF16", 2}, F32: {"F32", 4}, F64: {"F64", 8},
	F8E4M3: {"F8_E4M3", 1}, F8E5M2: {"F8_E5M2", 1}, F8E8M0: {"F8_E8M0", 1},
	C64: {"C64", 8}, C128: {"C128", 16},
	F8E4M3FNUZ: {"F8_E4M3FNUZ", 1}, F8E5M2FNUZ: {"F8_E5M2FNUZ", 1},
}

// String gives the name safetensors uses ("F32", "BF16", …).
func (d DType) String() string {
	if int(d) < len(dtypes) {
		return dtypes[d].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// Size is the number of bytes of one element, 0 for an unknown type.
func (d DType) Size() int {
	if int(d) < len(dtypes) {
		return dtypes[d].size
	}
	return 0
}

// ParseDType is the inverse of String.
func ParseDType(name string) (DType, error) {
	for d, t := range dtypes {
		if t.name == name && d != int(Invalid) {
			return DType(d), nil
		}
	}
	return Invalid, fmt.Errorf("parse dtype: %q is not a known element type", name)
}

// IsFloat reports whether NaN and infinity can occur in the type.
func (d DType) IsFloat() bool {
	switch d {
	case F16, BF16, F32, F64, F8E4M3, F8E5M2, F8E8M0, C64, C128, F8E4M3FNUZ, F8E5M2FNUZ:
		return true
	}
	return false
}
