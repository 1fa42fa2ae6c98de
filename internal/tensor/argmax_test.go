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

func TestAlongAxis(t *testing.T) {
	const n, c, w = 3, 2, 100
	v := make([]float64, n*c*w)
	for i := range v {
		v[i] = float64(i*i%17) - float64(i/w%c)
	}
	first := View{F32, []int64{n, c, w}, encode(F32, v)}
	// The same with the channels last.
	last := make([]float64, 0, len(v))
	for i := range n {
		for k := range w {
			for ch := range c {
				last = append(last, v[(i*c+ch)*w+k])
			}
		}
	}
	a, err := AlongAxis(first, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := AlongAxis(View{F32, []int64{n, w, c}, encode(F32, last)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for ch := range c {
		var one []float64
		for i := range n {
			one = append(one, v[(i*c+ch)*w:(i*c+ch+1)*w]...)
		}
		want := Compute(View{F32, []int64{n * w}, encode(F32, one)}, false)
		compare(t, a[ch], want, "channels first")
		compare(t, b[ch], want, "channels last")
	}
	if _, err := AlongAxis(first, 3); err == nil {
		t.Error("there is an axis 3")
	}
	if _, err := AlongAxis(View{F32, []int64{2, 2}, make([]byte, 4)}, 0); err == nil {
		t.Error("too few bytes are enough")
	}
}
