package rules_test

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// No rule fails on any element type or shape, in any mode, with workers of
// which some leave nothing at a step, or only their statistics.
func TestOddTensors(t *testing.T) {
	testenv.Unraced(t)
	var configs []rules.Config
	for _, c := range everyRule(t) {
		if c.Rule == "unchanged_tensor" || c.Rule == "tensor_variance" || c.Rule == "similar_across_runs" {
			c.Params["tensor_regex"] = ".*"
		}
		configs = append(configs, c)
	}
	j := newJob(t, configs...)
	j.others["baseline"] = &memory{t: t, workers: []string{"worker_0"}, stored: true, steps: []input{
		{step: 0, tensors: map[string]values{"F32 [2 3] weight": {[]int64{2, 3}, fill(6, 1)}}}, {step: 2, scalars: map[string]float64{"loss": 1}},
	}}
	shapes := [][]int64{nil, {3, 0}, {5}, {2, 3}, {2, 3, 1, 2}}
	kinds := map[string]record.TensorInfo{
		"weight": {Kind: record.Weight}, "gradient/weight": {Kind: record.Gradient}, "relu_input": {Kind: record.Input}, "relu_output": {Kind: record.Output}, "tanh_input": {Kind: record.Input},
		"sigmoid_input": {Kind: record.Input}, "labels": {Kind: record.Custom}, "predictions": {Kind: record.Custom}, "input": {Kind: record.Input, Collections: []string{"inputs"}},
		"trees/Node": {Kind: record.Custom}, "trees/Yes": {Kind: record.Custom}, "trees/No": {Kind: record.Custom}, "losses": {Kind: record.Loss, Collections: []string{"losses"}},
	}
	step := int64(0)
	for d := tensor.Bool; d.Size() > 0; d++ {
		for _, shape := range shapes {
			n, err := tensor.Elements(shape)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []record.Mode{record.Train, record.Eval} {
				var parts []*record.Step
				for w, worker := range []string{"worker_0", "worker_1", "worker_2"} {
					if (int(step)+w)%3 == 2 {
						continue // a worker that is missing
					}
					p := j.part(worker, input{step: step, mode: mode, scalars: map[string]float64{"loss": float64(step % 3)}})
					for kind, info := range kinds {
						name := fmt.Sprintf("%s %v %s", d, shape, kind)
						if kind == "gradient/weight" || kind[:2] == "tr" || kind == "labels" || kind == "predictions" {
							name = kind
						}
						info.Name, info.DType, info.Shape = name, d.String(), shape
						if old, known := j.infos[name]; !known || old.DType != info.DType {
							j.describe(info)
						}
						b := make([]byte, n*int64(d.Size()))
						for i := range b {
							b[i] = byte(i*int(step) + w)
						}
						v, err := tensor.NewView(d, shape, b)
						if err != nil {
							t.Fatal(err)
						}
						dec := j.plan.Decide(info)
						stats, derived, err := j.meters[worker].Tensor(info, dec, mode, step, v)
						if err != nil {
							t.Fatal(err)
						}
						if w != 1 || step%2 == 0 {
							p.Stats = append(p.Stats, stats)
						}
						if w != 0 || step%2 == 0 {
							p.Derived = append(p.Derived, derived...)
						}
						if step%3 > 0 {
							j.raw[fmt.Sprint(worker, name, mode, step)] = v
						}
						p.Raw = append(p.Raw, name)
					}
					parts = append(parts, p)
				}
				j.engine.Observe(rules.NewComplete(parts))
				step++
			}
		}
	}
	if _, err := j.engine.Save(); err != nil {
		t.Error(err)
	}
	j.engine.Finish(record.Completed)
	for _, s := range j.engine.Statuses() {
		if s.Status == rules.StatusError {
			t.Errorf("%s: %s", s.Configuration, s.Details)
		}
	}
	for _, f := range j.found {
		asJSON(t, f)
	}
}
