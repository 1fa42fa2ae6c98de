package tensor

import "fmt"

// AlongAxis gives the statistics of each slice of a tensor along an axis: of
// each channel of a batch of images, for example.
func AlongAxis(v View, axis int) ([]Stats, error) {
	outer, inner, err := around(v, axis)
	if err != nil {
		return nil, fmt.Errorf("compute along axis: %w", err)
	}
	n, size := v.Shape[axis], int64(v.DType.Size())
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

// around counts the elements before and after an axis: a tensor is outer times
// the axis times inner. The data has to hold what the shape says.
func around(v View, axis int) (outer, inner int64, err error) {
	if axis < 0 || axis >= len(v.Shape) {
		return 0, 0, fmt.Errorf("shape %v has no axis %d", v.Shape, axis)
	}
	if outer, err = Elements(v.Shape[:axis]); err != nil {
		return 0, 0, err
	}
	if inner, err = Elements(v.Shape[axis+1:]); err != nil {
		return 0, 0, err
	}
	size := int64(v.DType.Size())
	if size == 0 || outer*inner*v.Shape[axis]*size != int64(len(v.Data)) {
		return 0, 0, fmt.Errorf("%d bytes do not hold shape %v of %s", len(v.Data), v.Shape, v.DType)
	}
	return outer, inner, nil
}
