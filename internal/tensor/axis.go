package tensor

import "fmt"

// AlongAxis gives the statistics of each slice of a tensor along an axis: of
// each channel of a batch of images, for example.
func AlongAxis(v View, axis int) ([]Stats, error) {
	if axis < 0 || axis >= len(v.Shape) {
		return nil, fmt.Errorf("compute along axis: shape %v has no axis %d", v.Shape, axis)
	}
	outer, err := Elements(v.Shape[:axis])
	if err != nil {
		return nil, err
	}
	inner, err := Elements(v.Shape[axis+1:])
	if err != nil {
		return nil, err
	}
	n, size := v.Shape[axis], int64(v.DType.Size())
	if size == 0 || outer*inner*n*size != int64(len(v.Data)) {
		return nil, fmt.Errorf("compute along axis: %d bytes do not hold shape %v of %s", len(v.Data), v.Shape, v.DType)
	}
	out := make([]Stats, n)
	var gathered []byte
	for k := range n {
		if inner >= 64 {
			for o := range outer {
				at := (o*n + k) * inner * size
				out[k] = Merge(out[k], Compute(View{v.DType, []int64{inner}, v.Data[at : at+inner*size]}, false))
			}
			continue
		}
		gathered = gathered[:0]
		for o := range outer {
			at := (o*n + k) * inner * size
			gathered = append(gathered, v.Data[at:at+inner*size]...)
		}
		out[k] = Compute(View{v.DType, []int64{outer * inner}, gathered}, false)
	}
	return out, nil
}
