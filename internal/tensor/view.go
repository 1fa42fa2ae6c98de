package tensor

import "fmt"

// View is a tensor's bytes, little-endian, contiguous in row-major order. It
// does not own Data: whoever hands a View out says how long it may be used.
type View struct {
	DType DType
	Shape []int64
	Data  []byte
}

// Elements is the product of a shape, 1 for a 0-d tensor, or an error when it
// is negative or does not fit.
func Elements(shape []int64) (int64, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("count elements: negative dimension in shape %v", shape)
		}
		if d != 0 && n > (1<<62)/d {
			return 0, fmt.Errorf("count elements: shape %v is too large", shape)
		}
		n *= d
	}
	return n, nil
}

// NewView checks that the bytes fit the type and the shape.
func NewView(d DType, shape []int64, data []byte) (View, error) {
	n, err := Elements(shape)
	if err != nil {
		return View{}, err
	}
	if d.Size() == 0 {
		return View{}, fmt.Errorf("make view: unknown element type %s", d)
	}
	if int64(len(data)) != n*int64(d.Size()) {
		return View{}, fmt.Errorf("make view: %d bytes do not hold shape %v of %s", len(data), shape, d)
	}
	return View{d, shape, data}, nil
}
