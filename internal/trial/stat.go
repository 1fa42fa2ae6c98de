package trial

import (
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// column reads one column of n rows into the statistics.
func column(f *chunk.File, name string, from int64, out []tensor.Stats) error {
	n := int64(len(out))
	ints := map[string]func(*tensor.Stats) *int64{
		"count": func(s *tensor.Stats) *int64 { return &s.Count }, "nan": func(s *tensor.Stats) *int64 { return &s.NaN },
		"posinf": func(s *tensor.Stats) *int64 { return &s.PosInf }, "neginf": func(s *tensor.Stats) *int64 { return &s.NegInf },
		"zeros": func(s *tensor.Stats) *int64 { return &s.Zeros },
	}
	if at, ok := ints[name]; ok {
		v, err := f.Int64s(name, from, n)
		for i := range v {
			*at(&out[i]) = v[i]
		}
		return err
	}
	floats := map[string]func(*tensor.Stats) *float64{
		"min": func(s *tensor.Stats) *float64 { return &s.Min }, "max": func(s *tensor.Stats) *float64 { return &s.Max },
		"mean": func(s *tensor.Stats) *float64 { return &s.Mean }, "m2": func(s *tensor.Stats) *float64 { return &s.M2 },
		"l1": func(s *tensor.Stats) *float64 { return &s.L1 },
	}
	at := floats[name]
	v, err := f.Floats(name, from, n)
	for i := range v {
		*at(&out[i]) = v[i]
	}
	return err
}
