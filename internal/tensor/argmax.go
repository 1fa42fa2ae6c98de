package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ArgMax gives for each position of the other axes, in row-major order, the
// index of the greatest element along axis; the first of several, and the first
// NaN where there is one. Complex numbers compare by magnitude.
func ArgMax(v View, axis int) ([]int64, error) {
	outer, inner, err := around(v, axis)
	if err != nil {
		return nil, fmt.Errorf("find greatest elements: %w", err)
	}
	n, size := v.Shape[axis], int64(v.DType.Size())
	if n == 0 {
		return nil, fmt.Errorf("find greatest elements: axis %d of shape %v is empty", axis, v.Shape)
	}
	out := make([]int64, 0, outer*inner)
	for o := range outer {
		for i := range inner {
			out = append(out, greatest(v, (o*n*inner+i)*size, inner*size, n))
		}
	}
	return out, nil
}

// greatest looks at n elements, step bytes apart.
func greatest(v View, at, step, n int64) int64 {
	best, top := int64(0), math.Inf(-1)
	size := int64(v.DType.Size())
	for k := range n {
		var x float64
		if v.DType == F32 {
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(v.Data[at:])))
		} else {
			x = decode(v.DType, v.Data[at:at+size])
		}
		switch {
		case x > top:
			best, top = k, x
		case x != x:
			return k
		}
		at += step
	}
	return best
}
