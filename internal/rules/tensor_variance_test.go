package rules_test

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules"
)

func TestTensorVariance(t *testing.T) {
	runGolden(t, []golden{
		{"TV1 above", "TensorVariance", []string{"max_threshold", "10"}, []input{tensorAt("w.weight", 0, vec(0, 8))}, []int64{0},
			func(t *testing.T, j *job) {
				checkIs("high")(t, j)
				observed(16)(t, j)
			}},
		{"TV1 below", "TensorVariance", []string{"max_threshold", "10"}, []input{tensorAt("w.weight", 0, vec(0, 6))}, nil, nil},
		{"low", "TensorVariance", []string{"min_threshold", "10"}, []input{tensorAt("w.weight", 3, vec(0, 6))}, []int64{3}, checkIs("low")},
		{"equal is not beyond", "TensorVariance", []string{"min_threshold", "8.5", "max_threshold", "9"}, []input{tensorAt("w.weight", 0, vec(0, 6))}, nil, nil},
		{"a number has no spread", "TensorVariance", []string{"min_threshold", "1"}, []input{tensorAt("w.weight", 0, vec(3))}, nil, skips("too_small")},
		{"not finite", "TensorVariance", []string{"max_threshold", "1"}, []input{tensorAt("w.weight", 0, vec(0, math.NaN()))}, nil, skips("non_finite")},
		{"everything", "TensorVariance", []string{"max_threshold", "1"}, []input{tensorAt("gradient/w", 0, vec(0, 8))}, []int64{0}, details("every saved tensor is inspected")},
		{"a collection", "TensorVariance", []string{"max_threshold", "1", "collection_names", "weights"}, []input{tensorAt("gradient/w", 0, vec(0, 8)), tensorAt("w.weight", 1, vec(0, 8))}, []int64{1}, nil},
		{"a pattern", "TensorVariance", []string{"max_threshold", "1", "tensor_regex", "v"}, []input{tensorAt("w.weight", 0, vec(0, 8)), tensorAt("v.weight", 1, vec(0, 8))}, []int64{1}, nil},
	})
	// TV2
	j := newJob(t, config("TensorVariance"))
	j.feed(tensorAt("w.weight", 0, vec(0, 8)))
	if s := j.status(); s.Status != rules.StatusError {
		t.Errorf("without limits: %+v", s)
	}
	details("neither max_threshold nor min_threshold is given")(t, j)
}
