package measure

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// measureQuantiles adds the quantiles that are due, each once. A tensor that
// is empty or has elements that are not finite has none.
func measureQuantiles(out []record.Derived, name string, w *wants, step int64, v tensor.View, s *tensor.Stats) []record.Derived {
	if s.Count == 0 || s.NonFinite() {
		return out
	}
	var qs []float64
	var keys []string
	for _, q := range w.quantiles {
		if !due(q.schedule, step) {
			continue
		}
		for i, k := range q.keys {
			if !slices.Contains(keys, k) {
				qs, keys = append(qs, q.qs[i]), append(keys, k)
			}
		}
	}
	if len(qs) == 0 {
		return out
	}
	for i, x := range tensor.Quantiles(v, qs) {
		out = append(out, record.Derived{Tensor: name, Stat: keys[i], From: -1, Value: x})
	}
	return out
}

// measureFirst adds the positions of the first elements that are not finite.
func measureFirst(out []record.Derived, name string, v tensor.View, s *tensor.Stats) []record.Derived {
	nan, pos, neg := tensor.FirstNonFinite(v, s)
	for _, x := range []struct {
		stat string
		at   int64
	}{{plan.FirstNaN, nan}, {plan.FirstPosInf, pos}, {plan.FirstNegInf, neg}} {
		if x.at >= 0 {
			out = append(out, record.Derived{Tensor: name, Stat: x.stat, From: -1, Value: float64(x.at)})
		}
	}
	return out
}
