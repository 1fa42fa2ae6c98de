// Command avo writes the assembly of internal/tensor. Run it from its own
// folder after a change:
//
//	go run . -out ../../internal/tensor/kernels_avx2_amd64.s -stubs ../../internal/tensor/kernels_avx2_amd64.go -pkg tensor
//
// What it writes is committed, so nobody needs it to build the program. All
// kernels use AVX2, FMA and F16C; pointers may have any alignment, and element
// counts are multiples of eight and not zero.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	moments32(false)
	moments32(true)
	moments64()
	widen()
	pair32()
	between32()
	span32()
	Generate()
}
