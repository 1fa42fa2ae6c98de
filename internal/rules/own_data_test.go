package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A loss is no measure of a training that makes its own data; rules that go by its level are silent.
func TestOwnData(t *testing.T) {
	facts := func(asked []int64, change func(*record.Facts)) *record.Facts {
		f := classifier()
		f.Inputs = &record.InputFacts{Steps: 8, Distinct: 8, Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{64, 20}}}}
		f.Evaluation = &record.EvaluationFacts{Steps: 2, RootTraining: true, Layer: "fc1", Input: &record.TensorFacts{DType: "F32", Shape: asked}}
		if change != nil {
			change(f)
		}
		return f
	}
	one := facts([]int64{1, 20}, nil)
	curves := map[string]curve{
		"learning_rate": {steps: 300, loss: stepAt(3, 2, 500), size: stepAt(5, 1, 4)},
		"loss_spike":    {steps: 300, loss: noisy(0.1, stepAt(150, 2, 50)), size: stepAt(155, 1, 4)},
	}
	for name, c := range curves {
		for _, tt := range []struct {
			name  string
			asks  int64
			facts *record.Facts
			found bool
		}{
			{"asked before each update", 1, one, false},
			{"asked without an axis of samples", 1, facts([]int64{20}, nil), false},
			{"asked before every other update", 2, one, false},
			{"asked now and then", 10, one, true},
			{"never asked", 0, one, true},
			{"called on the batch itself", 1, facts([]int64{64, 20}, nil), true},
			{"called on something else", 1, facts([]int64{1, 7}, nil), true},
			{"evaluated", 1, facts([]int64{1, 20}, func(f *record.Facts) { f.Evaluation.RootTraining = false }), true},
			{"one batch for ever", 1, facts([]int64{1, 20}, func(f *record.Facts) { f.Inputs.Distinct = 1 }), true},
			{"samples are drawn", 1, facts([]int64{1, 20}, func(f *record.Facts) { f.Evaluation.Purpose = record.PurposeSamples }), true},
		} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				c := c
				c.asks, c.facts = tt.asks, tt.facts
				if found := c.judge(t, name); len(found) > 0 != tt.found {
					t.Errorf("findings are %v", found)
				}
			})
		}
	}
}
