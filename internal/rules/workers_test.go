package rules_test

import (
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// together feeds one step of several workers; nil is a worker that left
// nothing.
func (j *job) together(step int64, mode record.Mode, tensors ...map[string]values) {
	var parts []*record.Step
	for i, x := range tensors {
		if x != nil {
			parts = append(parts, j.part([]string{"worker_0", "worker_1", "worker_2"}[i], input{step: step, mode: mode, tensors: x}))
		}
	}
	j.engine.Observe(rules.NewComplete(parts))
}

// Each worker's copy is judged on its own; what several violate alike is one
// finding that names them.
func TestWorkersAreJudgedEach(t *testing.T) {
	good, bad := map[string]values{}, map[string]values{}
	for name, x := range map[string][2]values{
		"tanh_input": {columns(4, 0, 0), columns(4, 10, 10)}, "w.weight": {vec(1, 1), vec(0, 8)}, "a.relu_input": {vec(0, 1), vec(0, 1)}, "b.relu_input": {vec(0, 1), vec(0, 100)},
		"gradient/w.weight": {vec(0.1, 0.1), vec(3, 3)},
	} {
		good[name], bad[name] = x[0], x[1]
	}
	for _, c := range []struct {
		config  rules.Config
		subject string
	}{
		{config("SaturatedActivation", "every", "1"), "tanh_input"},
		{config("TensorVariance", "max_threshold", "10", "collection_names", "weights"), "w.weight"},
		{config("PoorWeightInitialization"), "b.relu_input"},
		{config("GradientClipping", "window", "2", "every", "1"), "gradients"},
	} {
		j := newJob(t, c.config)
		j.workers = []string{"worker_0", "worker_1", "worker_2"}
		j.together(0, record.Train, good, bad, bad)
		j.together(1, record.Train, good, bad, bad)
		if len(j.found) == 0 {
			t.Errorf("%s: nothing was found: %+v", c.config.Rule, j.status())
			continue
		}
		f := j.found[0]
		if f.Subject != c.subject || f.Worker != "worker_1" || !slices.Equal(f.Workers, []string{"worker_1", "worker_2"}) {
			t.Errorf("%s: finding is %+v", c.config.Rule, f)
		}
		// A step that only one worker left.
		j.found = nil
		j.together(2, record.Train, nil, nil, bad)
		if len(j.found) > 0 && j.found[0].Worker != "worker_2" {
			t.Errorf("%s: finding is %+v", c.config.Rule, j.found[0])
		}
	}
}

// Samples are pooled over workers.
func TestWorkersArePooled(t *testing.T) {
	labels := map[string]values{"labels": vec(1, 1, 1, 1), "predictions": vec(1, 1, 1, 1)}
	wrong := map[string]values{"labels": vec(1, 1, 1, 1), "predictions": vec(0, 0, 0, 0)}
	j := newJob(t, config("AccuracyDrop", "previous_accuracy", "0.9", "samples", "8"))
	for name := range labels {
		j.describe(record.TensorInfo{Name: name, Kind: record.Custom})
	}
	j.together(0, record.Eval, labels, wrong)
	if len(j.found) != 1 || !near(float64(j.found[0].Observed), 0.5, 1e-12) || j.found[0].Worker != "" {
		t.Errorf("accuracy: %+v", j.found)
	}
	j = newJob(t, config("InputDrift", "tensor_regex", "^x$", "every", "1", "min_values", "1000"))
	x := func(a float64) map[string]values { return map[string]values{"x": uniform(600, a, a+1)} }
	j.together(0, record.Train, x(0), x(0))
	j.together(1, record.Eval, x(0), x(5))
	if len(j.found) != 1 || number(j.found[0].Context["elements"]) != 1200 {
		t.Errorf("input: %+v", j.found)
	}
}
