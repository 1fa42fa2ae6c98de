package measure

import (
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// measureComputed adds the median and the product where they are wanted.
func measureComputed(out []record.Derived, name string, want plan.Want, v tensor.View, s *tensor.Stats) []record.Derived {
	add := func(stat string, x float64) {
		out = append(out, record.Derived{Tensor: name, Stat: stat, From: -1, Value: x})
	}
	if want&plan.Median != 0 {
		value, within := tensor.Median(v, s)
		add(plan.MedianKey, value)
		if within > 0 {
			add(plan.MedianErrorKey, within)
		}
	}
	if want&plan.Prod != 0 {
		p := tensor.ProductOf(v, s)
		if p.Fits {
			add(plan.ProdKey, p.Value)
		}
		add(plan.ProdSignKey, p.Sign)
		add(plan.ProdLogKey, p.Log)
	}
	return out
}
