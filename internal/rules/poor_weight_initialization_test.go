package rules_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// varied is a vector of size elements with the variance given.
func varied(size int, variance float64) values {
	v := make([]float64, size)
	for i := range v {
		v[i] = math.Sqrt(variance) * float64(1-2*(i%2))
	}
	return vec(v...)
}

// spaced is n elements equally spaced over [0, top].
func spaced(n int, top float64) values {
	v := make([]float64, n)
	for i := range v {
		v[i] = top * float64(i) / float64(n-1)
	}
	return vec(v...)
}

func TestPoorWeightInitialization(t *testing.T) {
	inputs := func(step int64, a, b values) input {
		return input{step: step, tensors: map[string]values{"a.relu_input_0": a, "b.relu_input_0": b}}
	}
	falling := input{step: 1, scalars: map[string]float64{"loss": 1}}
	runGolden(t, []golden{
		{"PW1 ratio of ten", "PoorWeightInitialization", nil, []input{inputs(0, vec(1, -1, 1, -1), vec(4, -4, 2, -2))}, nil, nil},
		{"PW1", "PoorWeightInitialization", nil, []input{inputs(0, varied(4, 0.1), varied(4, 1))}, nil, nil},
		{"PW2", "PoorWeightInitialization", nil, []input{inputs(0, varied(4, 0.1), varied(4, 1.01))}, []int64{0},
			func(t *testing.T, j *job) {
				checkIs("variance_spread")(t, j)
				observed(10.1)(t, j)
				if f := j.found[0]; f.Subject != "b.relu_input_0" || f.Context["smallest"] != "a.relu_input_0" || f.Severity != record.Warning {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"PW3", "PoorWeightInitialization", nil, []input{inputs(0, vec(0, 0), vec(0, 0))}, []int64{0},
			func(t *testing.T, j *job) {
				if !strings.Contains(j.found[0].Message, "All activation inputs are constant") {
					t.Errorf("message is %q", j.found[0].Message)
				}
			}},
		{"one constant layer", "PoorWeightInitialization", nil, []input{inputs(0, vec(3, 3), vec(0, 1))}, []int64{0},
			func(t *testing.T, j *job) {
				if f := j.found[0]; f.Subject != "a.relu_input_0" || !math.IsInf(float64(f.Observed), 1) {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"PW4", "PoorWeightInitialization", nil, []input{tensorAt("gradient/w", 0, spaced(100, 0.001))}, []int64{0},
			func(t *testing.T, j *job) {
				checkIs("gradient_spread")(t, j)
				observed(0.0009)(t, j)
				if f := j.found[0]; !near(number(f.Context["p5"]), 0.00005, 1e-12) {
					t.Errorf("context is %v", f.Context)
				}
			}},
		{"wide gradients", "PoorWeightInitialization", nil, []input{tensorAt("gradient/w", 0, spaced(100, 0.002))}, nil, nil},
		{"small gradients are skipped", "PoorWeightInitialization", nil, []input{tensorAt("gradient/w", 0, spaced(19, 0.001))}, nil, skips("too_small")},
		{"gradients that are not finite", "PoorWeightInitialization", nil, []input{tensorAt("gradient/w", 0, vec(fill(30, math.NaN())...))}, nil, skips("non_finite")},
		{"distribution_range", "PoorWeightInitialization", []string{"distribution_range", "0.0005"}, []input{tensorAt("gradient/w", 0, spaced(100, 0.001))}, nil, nil},
		{"PW5", "PoorWeightInitialization", []string{"patience", "5"}, scalarsAt("loss", 1, 1, 1, 1, 1, 1, 1), []int64{5}, checkIs("loss_not_starting")},
		{"a loss that falls late", "PoorWeightInitialization", []string{"patience", "5"}, scalarsAt("loss", 1, 1, 1, 1, 1, 1, 0.9, 0.9), nil, nil},
		{"a loss that is not finite", "PoorWeightInitialization", nil, scalarsAt("loss", 1, 1, math.NaN()), []int64{1},
			func(t *testing.T, j *job) {
				if f := j.found[0]; f.CauseClass != "non-finite" || !strings.Contains(f.Message, "NaN") {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"ten steps and no more", "PoorWeightInitialization", []string{"patience", "9"}, scalarsAt("loss", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), []int64{9}, nil},
		{"steps as the samples spell it", "PoorWeightInitialization", []string{"patience", "2", "steps", "4.0"}, scalarsAt("loss", 1, 1, 1, 1, 1, 1, 1), []int64{2, 3}, nil},
		{"threshold", "PoorWeightInitialization", []string{"threshold", "11"}, []input{inputs(0, varied(4, 0.1), varied(4, 1.01))}, nil, nil},
		{"other inputs", "PoorWeightInitialization", []string{"activation_inputs_regex", "gelu_input"}, []input{inputs(0, varied(4, 0.1), varied(4, 1.01))}, nil, nil},
		{"nothing to analyse", "PoorWeightInitialization", nil, []input{tensorAt("w.weight", 0, vec(1, 2))}, nil, details("nothing to analyse")},
		{"groups that are missing", "PoorWeightInitialization", nil, []input{falling}, nil, details("no activation inputs were saved")},
		{"not in evaluation", "PoorWeightInitialization", nil, []input{{step: 0, mode: record.Eval, scalars: map[string]float64{"loss": math.NaN()}}}, nil, nil},
	})
}

// Inputs of a module count by its class, too, whatever its attribute is called.
func TestActivationInputsByType(t *testing.T) {
	j := newJob(t, config("PoorWeightInitialization"))
	for _, n := range []string{"1_input_0", "3_input_0"} {
		j.describe(record.TensorInfo{Name: n, Kind: record.Input, ModuleType: "ReLU", DType: "F64"})
	}
	j.feed(input{step: 0, tensors: map[string]values{"1_input_0": vec(0, 1), "3_input_0": vec(0, 10)}})
	if len(j.found) != 1 {
		t.Errorf("findings are %+v", j.found)
	}
}

// skips checks that a reason was counted.
func skips(reason string) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		if j.status().Skipped[reason] == 0 {
			t.Errorf("nothing was skipped as %q: %+v", reason, j.status())
		}
	}
}

// details checks what the status says.
func details(text string) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		if !strings.Contains(j.status().Details, text) {
			t.Errorf("details do not say %q: %q", text, j.status().Details)
		}
	}
}
