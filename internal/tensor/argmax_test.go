package tensor

import (
	"math"
	"slices"
	"testing"
)

func TestArgMax(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name  string
		shape []int64
		axis  int
		v     []float32
		want  []int64
	}{
		{"rows", []int64{2, 3}, 1, []float32{1, 3, 2, 9, 8, 7}, []int64{1, 0}},
		{"columns", []int64{2, 3}, 0, []float32{1, 3, 2, 9, 8, 7}, []int64{1, 1, 1}},
		{"images", []int64{1, 2, 2, 2}, 1, []float32{0, 5, 0, 5, 4, 4, 4, 4}, []int64{1, 0, 1, 0}},
		{"ties", []int64{1, 3}, 1, []float32{2, 2, 1}, []int64{0}},
		{"NaN", []int64{1, 3}, 1, []float32{2, nan, 9}, []int64{1}},
		{"no number above", []int64{1, 2}, 1, []float32{inf, inf}, []int64{0}},
		{"one class", []int64{3, 1}, 1, []float32{1, 2, 3}, []int64{0, 0, 0}},
		{"empty", []int64{0, 3}, 1, nil, []int64{}},
	} {
		for _, d := range []DType{F32, F64, F16} {
			var b []byte
			for _, x := range c.v {
				b = append(b, encode(d, []float64{float64(x)})...)
			}
			got, err := ArgMax(View{d, c.shape, b}, c.axis)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s of %s: %v, %v; want %v", c.name, d, got, err, c.want)
			}
		}
	}
	for _, v := range []View{{F32, []int64{2}, make([]byte, 8)}, {F32, []int64{2, 0}, nil}, {F32, []int64{2, 2}, make([]byte, 4)}} {
		if got, err := ArgMax(v, 1); err == nil {
			t.Errorf("shape %v gives %v", v.Shape, got)
		}
	}
}
