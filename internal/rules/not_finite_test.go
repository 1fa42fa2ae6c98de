package rules_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type spot struct {
		step    int64
		mode    record.Mode
		skipped bool
		values  map[string]float64
	}
	train := func(step int64, kv ...any) spot {
		s := spot{step: step, values: map[string]float64{}}
		for i := 0; i < len(kv); i += 2 {
			s.values[kv[i].(string)] = kv[i+1].(float64)
		}
		return s
	}
	in := func(m record.Mode, s spot) spot { s.mode = m; return s }
	skip := func(s spot) spot { s.skipped = true; return s }
	cases := map[string]struct {
		spots   []spot
		subject string // "" means silent
		step    int64
		way     []string
		cause   string
	}{
		"loss":                    {[]spot{train(0, "loss", 1.0), train(1, "loss", nan)}, "loss", 1, []string{"loss"}, "the weights had not grown before"},
		"at once":                 {[]spot{train(0, "loss", nan)}, "loss", 0, []string{"loss"}, "NaN in the input"},
		"grown first":             {[]spot{train(0, "loss", 1.0), train(1, "loss", 1e9), train(2, "loss", inf)}, "loss", 2, []string{"loss"}, "learning rate that is too high: before it, the loss had grown from 1 to 1e+09"},
		"gradient and loss grown": {[]spot{train(0, "loss", 1.0, "gradient/a.weight", 1.0), train(1, "loss", 1e9, "gradient/a.weight", 1e3), train(2, "loss", inf)}, "loss", 2, []string{"loss"}, "learning rate that is too high: before it, the loss had grown from 1 to 1e+09"},
		"weight":                  {[]spot{train(0, "loss", 1.0, "b.weight", 1.0), train(1, "loss", 1.0, "b.weight", inf)}, "b.weight", 1, []string{"b.weight"}, ""},
		"order in a step": {[]spot{train(4, "loss", nan, "gradient/a.weight", nan, "gradient/b.weight", nan, "relu_output", nan)},
			"relu_output", 4, []string{"relu_output", "loss", "gradient/b.weight", "gradient/a.weight"}, ""},
		"gradient, then loss": {[]spot{train(0, "loss", 1.0), train(1, "loss", 1.0, "gradient/b.weight", nan), train(2, "loss", nan)},
			"gradient/b.weight", 1, []string{"gradient/b.weight", "loss"}, ""},
		"gradients dropped by hand": {[]spot{train(0, "loss", 1.0, "gradient/a.weight", inf), train(1, "loss", 1.0, "gradient/a.weight", 1.0), train(2, "loss", 1.0)}, "", 0, nil, ""},
		"gradient, losses go on":    {[]spot{train(0, "loss", 1.0, "gradient/a.weight", inf), train(1, "loss", 1.0), train(2, "loss", 1.0), train(3, "loss", 1.0)}, "", 0, nil, ""},
		"gradients again and again": {[]spot{train(0, "gradient/a.weight", inf), train(1, "gradient/a.weight", inf), train(2, "gradient/a.weight", inf)}, "gradient/a.weight", 0, []string{"gradient/a.weight"}, ""},
		"the job ends on it":        {[]spot{train(0, "loss", 1.0), train(1, "loss", 1.0, "gradient/a.weight", nan)}, "gradient/a.weight", 1, []string{"gradient/a.weight"}, ""},
		"skipped by the scaler":     {[]spot{skip(train(0, "loss", inf, "gradient/a.weight", inf)), train(1, "loss", 1.0)}, "", 0, nil, ""},
		"logged numbers":            {[]spot{train(0, "loss", 1.0, "scalar/best", inf), train(1, "scalar/best", nan)}, "", 0, nil, ""},
		"masks":                     {[]spot{train(0, "loss", 1.0, "mask_output", math.Inf(-1))}, "", 0, nil, ""},
		"one evaluation":            {[]spot{in(record.Eval, train(0, "loss", nan)), in(record.Eval, train(1, "loss", 1.0))}, "", 0, nil, ""},
		"evaluations in a row":      {[]spot{in(record.Eval, train(0, "loss", nan)), in(record.Eval, train(1, "loss", nan)), in(record.Eval, train(2, "loss", nan))}, "loss", 0, []string{"loss"}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, config("not_finite"))
			for i, n := range []string{"a.weight", "gradient/a.weight", "relu_output", "mask_output", "b.weight", "gradient/b.weight", "scalar/best"} {
				info := record.TensorInfo{Name: n, Kind: record.Weight, Order: i, DType: "F32"}
				switch {
				case strings.HasPrefix(n, "gradient"):
					info.Kind = record.Gradient
				case strings.Contains(n, "output"):
					info.Kind = record.Output
				case strings.HasPrefix(n, "scalar"):
					info.Kind = record.Metric
				}
				j.describe(info)
			}
			for _, s := range c.spots {
				x := input{step: s.step, mode: s.mode, skipped: s.skipped, scalars: map[string]float64{}, tensors: map[string]values{}}
				for n, v := range s.values {
					if n == "loss" || strings.HasPrefix(n, "scalar") {
						x.scalars[n] = v
					} else {
						x.tensors[n] = vec(v)
					}
				}
				j.feed(x)
			}
			j.engine.Finish(record.Completed)
			if c.subject == "" {
				if len(j.found) > 0 {
					t.Fatalf("false alarm: %+v", j.found[0])
				}
				return
			}
			if len(j.found) != 1 {
				t.Fatalf("%d findings, want 1: %+v", len(j.found), j.found)
			}
			f := j.found[0]
			var way []string
			for _, w := range f.Context["way"].([]string) {
				way = append(way, strings.Fields(w)[0])
			}
			if f.Subject != c.subject || f.Step != c.step || fmt.Sprint(way) != fmt.Sprint(c.way) || !strings.Contains(f.Cause, c.cause) {
				t.Errorf("finding is %s at %d by %v: %s", f.Subject, f.Step, way, f.Cause)
			}
			class := "non-finite"
			if strings.Contains(c.cause, "the loss had grown") {
				class = "learning-rate"
			}
			if f.Severity != record.Error || f.CauseClass != class {
				t.Errorf("finding is %+v", f)
			}
		})
	}
}
