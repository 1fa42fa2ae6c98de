package rules_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// columns is a batch of rows in which each unit has one value throughout.
func columns(rows int, units ...float64) values {
	var v []float64
	for range rows {
		v = append(v, units...)
	}
	return values{[]int64{int64(rows), int64(len(units))}, v}
}

func TestSaturatedActivation(t *testing.T) {
	every1 := []string{"every", "1"}
	with := func(kv ...string) []string { return append([]string{"every", "1"}, kv...) }
	nan := math.NaN()
	images := func(v ...float64) values { return values{[]int64{1, 2, 2}, v} }
	runGolden(t, []golden{
		{"SA1", "SaturatedActivation", every1, []input{tensorAt("tanh_input", 0, columns(4, 10, 0))}, nil, nil},
		{"SA2", "SaturatedActivation", every1, []input{tensorAt("tanh_input", 0, columns(4, 10, 10, 0))}, []int64{0},
			func(t *testing.T, j *job) {
				observed(200.0/3)(t, j)
				c := j.found[0].Context
				if c["kind"] != "tanh" || number(c["high"]) != 8 || number(c["low"]) != 0 || number(c["saturated"]) != 2 {
					t.Errorf("context is %v", c)
				}
				if w := asJSON(t, c["most_saturated"]); w != `[{"active_percent":0,"unit":0},{"active_percent":0,"unit":1}]` {
					t.Errorf("most saturated: %s", w)
				}
				if d := c["derivatives_at_limits"].([]record.Number); !near(float64(d[1]), 2.2e-8, 1e-9) {
					t.Errorf("derivatives are %v", d)
				}
				if h := c["histogram"].([]record.Number); len(h) != 20 || h[0] != 4 || h[16]+h[17]+h[18]+h[19] != 8 {
					t.Errorf("histogram is %v", h)
				}
			}},
		{"SA3", "SaturatedActivation", every1, []input{tensorAt("sigmoid_input", 0, columns(4, 16.99999, 16.99999))}, []int64{0}, observed(100)},
		{"sigmoid is wider", "SaturatedActivation", every1, []input{tensorAt("sigmoid_input", 0, columns(4, 10, -22))}, nil, nil},
		{"the low end", "SaturatedActivation", every1, []input{tensorAt("sigmoid_input", 0, columns(4, -23, -30))}, []int64{0},
			func(t *testing.T, j *job) {
				if c := j.found[0].Context; number(c["low"]) != 8 || number(c["high"]) != 0 {
					t.Errorf("context is %v", c)
				}
			}},
		{"NaN is not active", "SaturatedActivation", every1, []input{tensorAt("tanh_input", 0, columns(4, nan, nan))}, []int64{0},
			func(t *testing.T, j *job) {
				if c := j.found[0].Context; c["nan"] != int64(8) || number(c["low"]) != 0 {
					t.Errorf("context is %v", c)
				}
			}},
		{"neither tanh nor sigmoid", "SaturatedActivation", with("tensor_regex", ".*_input"), []input{tensorAt("gelu_input", 0, columns(4, 10, 10))}, nil, skips("unknown_activation")},
		{"both", "SaturatedActivation", with("tensor_regex", ".*_input"), []input{tensorAt("tanh_sigmoid_input", 0, columns(4, 10, 10))}, nil, skips("unknown_activation")},
		{"empty", "SaturatedActivation", every1, []input{tensorAt("tanh_input", 0, values{[]int64{0, 3}, nil})}, nil, skips("empty")},
		{"another pattern", "SaturatedActivation", with("tensor_regex", "mytanh"), []input{tensorAt("mytanh", 0, columns(4, 10, 10))}, []int64{0}, nil},
		{"a collection", "SaturatedActivation", with("collection_names", "weights"), []input{tensorAt("tanh.weight", 0, columns(4, 10, 10))}, []int64{0}, nil},
		{"other limits", "SaturatedActivation", with("threshold_tanh_min", "-2", "threshold_tanh_max", "2"), []input{tensorAt("tanh_input", 0, columns(4, 3, -3))}, []int64{0}, nil},
		{"limits as a tuple", "SaturatedActivation", with("threshold_tanh", "(-2, 2)", "threshold_sigmoid", "(-5, 5)"), []input{tensorAt("tanh_input", 0, columns(4, 3, -3)), tensorAt("sigmoid_input", 1, columns(4, 5, -5))}, []int64{0, 1}, nil},
		{"inactivity", "SaturatedActivation", with("threshold_inactivity", "0"), []input{tensorAt("tanh_input", 0, columns(4, 10, 10))}, nil, nil},
		{"layer", "SaturatedActivation", with("threshold_layer", "49"), []input{tensorAt("tanh_input", 0, columns(4, 10, 0))}, []int64{0}, nil},
		{"pooled", "SaturatedActivation", with("window_steps", "2"), []input{tensorAt("tanh_input", 0, columns(4, 0, 0)), tensorAt("tanh_input", 1, columns(4, 10, 10)), tensorAt("tanh_input", 2, columns(4, 10, 10))}, []int64{2}, nil},
		{"elements", "SaturatedActivation", every1, []input{tensorAt("tanh_input", 0, images(10, 0, 10, 10))}, []int64{0}, observed(75)},
		{"channels", "SaturatedActivation", with("unit", "channel"), []input{tensorAt("tanh_input", 0, images(10, 0, 10, 10))}, nil, nil},
		{"a vector is one unit", "SaturatedActivation", every1, []input{tensorAt("tanh_input", 0, vec(10, 10, 10))}, []int64{0}, nil},
		{"only at its interval", "SaturatedActivation", []string{"every", "2"}, []input{tensorAt("tanh_input", 3, columns(4, 10, 10)), tensorAt("tanh_input", 4, columns(4, 10, 10))}, []int64{4}, nil},
		{"and at step 1", "SaturatedActivation", nil, []input{tensorAt("tanh_input", 1, columns(4, 10, 10)), tensorAt("tanh_input", 2, columns(4, 10, 10))}, []int64{1}, nil},
	})
}

// By the class of the module, whatever its attribute is called.
func TestSaturatedActivationByType(t *testing.T) {
	j := newJob(t, config("SaturatedActivation", "every", "1"))
	j.describe(record.TensorInfo{Name: "act_input_0", Kind: record.Input, ModuleType: "Tanh", DType: "F64"})
	j.describe(record.TensorInfo{Name: "gate_input_0", Kind: record.Input, ModuleType: "Sigmoid", DType: "F64"})
	j.feed(input{step: 0, tensors: map[string]values{"act_input_0": columns(4, 10, 10), "gate_input_0": columns(4, 10, 10)}})
	if len(j.found) != 1 || j.found[0].Subject != "act_input_0" {
		t.Errorf("findings are %+v", j.found)
	}
}

// A module that is called several times in a step has an input for each call, and one
// finding at a step.
func TestSaturatedActivationOfOneModule(t *testing.T) {
	j := newJob(t, config("SaturatedActivation", "every", "1"))
	for _, name := range []string{"act_input_0", "act_input_1", "other_input_0"} {
		module, _, _ := strings.Cut(name, "_")
		j.describe(record.TensorInfo{Name: name, Kind: record.Input, Module: module, ModuleType: "Tanh", DType: "F64"})
	}
	for step := range int64(2) {
		flat := columns(4, 10, 10)
		j.feed(input{step: step, tensors: map[string]values{"act_input_0": flat, "act_input_1": flat, "other_input_0": flat}})
	}
	var found []string
	for _, f := range j.found {
		found = append(found, f.Subject)
	}
	if got := strings.Join(found, " "); got != "act_input_0 other_input_0 act_input_0 other_input_0" {
		t.Errorf("found %s", got)
	}
}

// number reads a number of a finding's context.
func number(x any) float64 {
	switch v := x.(type) {
	case float64:
		return v
	case record.Number:
		return float64(v)
	case int64:
		return float64(v)
	case int:
		return float64(v)
	}
	return math.NaN()
}
