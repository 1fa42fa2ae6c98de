package rules_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// uniform is n elements equally spaced from a to b.
func uniform(n int, a, b float64) values {
	v := make([]float64, n)
	for i := range v {
		v[i] = a + (b-a)*float64(i)/float64(n-1)
	}
	return vec(v...)
}

func TestInputDrift(t *testing.T) {
	base := []string{"tensor_regex", "^x$", "min_values", "1000", "every", "1"}
	with := func(kv ...string) []string { return append(slices.Clone(base), kv...) }
	in := func(step int64, mode record.Mode, x values) input {
		return input{step: step, mode: mode, tensors: map[string]values{"x": x}}
	}
	train := in(0, record.Train, uniform(1000, 0, 1))
	runGolden(t, []golden{
		{"the same distribution", "InputDrift", base, []input{train, in(1, record.Eval, uniform(1500, 0, 1))}, nil, nil},
		{"no overlap", "InputDrift", base, []input{train, in(1, record.Eval, uniform(1000, 5, 6))}, []int64{1},
			func(t *testing.T, j *job) {
				observed(1)(t, j)
				if f := j.found[0]; f.Subject != "x" || f.Mode != record.Eval || !strings.Contains(f.Message, "that of training") {
					t.Errorf("finding is %+v", f)
				}
			}},
		// Half of the mass lies where the reference has none: JS divergence
		// 0.3112781 bits.
		{"half an overlap", "InputDrift", base, []input{train, in(1, record.Eval, uniform(100001, 0, 2))}, []int64{1},
			func(t *testing.T, j *job) {
				if d := float64(j.found[0].Observed); !near(d, math.Sqrt(0.3112781), 1e-3) {
					t.Errorf("distance is %v", d)
				}
			}},
		{"threshold", "InputDrift", with("threshold", "0.6"), []input{train, in(1, record.Eval, uniform(1000, 0, 2))}, nil, nil},
		{"too few values", "InputDrift", base, []input{train, in(1, record.Eval, uniform(999, 5, 6))}, nil, skips("too_few_values")},
		{"enough together", "InputDrift", base, []input{train, in(1, record.Eval, uniform(999, 5, 6)), in(2, record.Eval, uniform(999, 5, 6))}, []int64{2}, nil},
		{"told once until it is over", "InputDrift", base, []input{train, in(1, record.Eval, uniform(1000, 5, 6)), in(2, record.Eval, uniform(1000, 5, 6))}, []int64{1}, nil},
		{"training after the evaluation", "InputDrift", base, []input{in(0, record.Eval, uniform(1000, 0, 1)), in(1, record.Train, uniform(1000, 0, 1))}, nil, skips("no_reference")},
		{"two bins", "InputDrift", with("bins", "2"), []input{train, in(1, record.Eval, uniform(1000, 0, 0.4))}, []int64{1}, nil},
		{"a constant", "InputDrift", base, []input{in(0, record.Train, vec(fill(1000, 3)...)), in(1, record.Eval, vec(fill(1000, 3)...))}, nil, nil},
		{"another constant", "InputDrift", base, []input{in(0, record.Train, vec(fill(1000, 3)...)), in(1, record.Eval, vec(fill(1000, 4)...))}, []int64{1}, observed(1)},
		{"empty", "InputDrift", base, []input{in(0, record.Train, vec())}, nil, skips("empty")},
		{"not finite", "InputDrift", base, []input{in(0, record.Train, vec(math.NaN(), 1))}, nil, skips("non_finite")},
	})
}

// By default the inputs of the root module are looked at.
func TestInputDriftOfTheModel(t *testing.T) {
	j := newJob(t, config("InputDrift", "every", "1", "min_values", "10"))
	j.describe(record.TensorInfo{Name: "Net_input_0", Kind: record.Input, DType: "F64"})
	j.describe(record.TensorInfo{Name: "fc_input_0", Kind: record.Input, Module: "fc", DType: "F64"})
	for step, mode := range []record.Mode{record.Train, record.Eval} {
		x := uniform(10, 5*float64(step), 5*float64(step)+1)
		j.feed(input{step: int64(step), mode: mode, tensors: map[string]values{"Net_input_0": x, "fc_input_0": x}})
	}
	if len(j.found) != 1 || j.found[0].Subject != "Net_input_0" {
		t.Errorf("findings are %+v", j.found)
	}
}

func TestInputDriftAcrossRuns(t *testing.T) {
	x := func(step int64, a float64) input { return tensorAt("x", step, uniform(1000, a, a+1)) }
	params := []string{"tensor_regex", "^x$", "min_values", "1000", "every", "1"}
	begin := func(others ...string) *job {
		j := newJob(t, config("InputDrift", append(slices.Clone(params), others...)...))
		j.others["a"] = &memory{t: t, workers: []string{"worker_0"}, steps: []input{x(0, 0), x(1, 0)}}
		j.others["b"] = &memory{t: t, workers: []string{"worker_0"}, steps: []input{x(7, 3)}}
		j.others["empty"] = &memory{t: t, workers: []string{"worker_0"}}
		return j
	}
	j := begin("other_trials", "a")
	j.feed(x(0, 0))
	if len(j.found) != 0 {
		t.Errorf("findings are %+v", j.found)
	}
	j = begin("other_trial_0", "a", "other_trial_1", "b")
	j.feed(x(0, 0))
	if len(j.found) != 1 || j.found[0].Check != "drift@b" || j.found[0].Subject != "x" || !near(float64(j.found[0].Observed), 1, 1e-9) {
		t.Errorf("findings are %+v", j.found)
	}
	j = begin("other_trials", "empty")
	j.feed(x(0, 0))
	skips("missing_in_other")(t, j)
	details("run empty has no quantiles of x")(t, j)
	j = begin("other_trials", "nowhere")
	j.feed(x(0, 0))
	if s := j.status(); s.Status != rules.StatusError {
		t.Errorf("status is %+v", s)
	}
}
