package rules_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// A rule of the default set that saw too little of a job says that it did not judge it,
// and why; also when the evaluator was started again meanwhile.
func TestNotJudged(t *testing.T) {
	often := []int64{0, 10, 20, 30, 60, 90, 120, 150, 180, 210, 240, 270}
	for _, c := range []struct {
		rule string
		at   []int64 // steps at which tensors were captured
		want string
		took int64 // steps of the training, 0 for 300
	}{
		{"vanishing_gradient", often, "", 0},
		{"vanishing_gradient", []int64{0, 10, 20}, "gradients were captured at 3 steps, 20 from first to last; it takes 3, 40 from first to last", 0},
		{"vanishing_gradient", []int64{0, 250}, "gradients were captured at 2 steps, 250 from first to last; it takes 3, 40 from first to last", 0},
		{"vanishing_gradient", []int64{0, 100, 200}, "", 0},
		{"exploding_tensor", often, "", 0},
		{"exploding_tensor", []int64{0, 10, 30, 60}, "weights were captured at 3 steps, 50 from first to last; it takes 2, 60 from first to last", 0},
		{"exploding_tensor", []int64{0, 200}, "weights were captured at 1 step, 0 from first to last; it takes 2, 60 from first to last", 0},
		{"exploding_tensor", []int64{0, 100, 200}, "", 0},
		{"dead_relu", often, "", 0},
		{"dead_relu", []int64{25}, "the outputs of ReLU were captured at 1 step; it takes 2", 0},
		{"dead_relu", []int64{25, 50}, "", 0},
		{"loss_not_decreasing", []int64{50, 100, 150, 200}, "", 0},
		{"loss_not_decreasing", []int64{50, 100}, "how far weights move in 50 steps was captured 2 times; it takes 3", 0},
		{"loss_not_decreasing", []int64{0, 10}, "how far weights move in 50 steps was not captured", 0},
		{"loss_not_decreasing", []int64{0, 10}, "the training took 42 steps; it takes 151", 42},
	} {
		set, err := rules.Set("default", "pytorch")
		if err != nil {
			t.Fatal(err)
		}
		set = slices.DeleteFunc(set, func(x rules.Config) bool { return x.Rule != c.rule })
		infos := []record.TensorInfo{{Name: "loss", Kind: record.Loss, Collections: []string{"losses"}}, {Name: "relu", Kind: record.Output, ModuleType: "ReLU", Collections: []string{"relu_output"}}}
		for i, n := range []string{"a.weight", "b.weight", "c.weight", "d.weight"} {
			infos = append(infos, record.TensorInfo{Name: n, Kind: record.Weight, Shape: []int64{4, 4}, Order: i, Collections: []string{"weights"}},
				record.TensorInfo{Name: "gradient/" + n, Kind: record.Gradient, Shape: []int64{4, 4}, Order: i, Collections: []string{"gradients"}})
		}
		start := func() *rules.Engine {
			e, err := rules.NewEngine(rules.Options{Configs: set})
			if err != nil {
				t.Fatal(err)
			}
			e.Announce("worker_0", infos)
			return e
		}
		e := start()
		for n := range cmp.Or(c.took, 300) {
			p := &record.Step{Worker: "worker_0", Step: n, ModeStep: n, Time: epoch, Scalars: []record.Scalar{{Name: "loss", Value: 1}}}
			if slices.Contains(c.at, n) {
				fillStep(p, infos)
			}
			if n == cmp.Or(c.took, 300)/2 {
				state, err := e.Save()
				if err != nil {
					t.Fatal(err)
				}
				if e = start(); e.Restore(state) != nil {
					t.Fatal("the state is not taken back")
				}
			}
			e.Observe(rules.NewComplete([]*record.Step{p}))
		}
		if s := e.Statuses()[0]; s.NotJudged != "" {
			t.Errorf("%s is not judged before the end: %+v", c.rule, s)
		}
		e.Finish(record.Completed)
		s := e.Statuses()[0]
		if s.NotJudged != c.want || strings.Contains(s.Details, "not judged: "+c.want) != (c.want != "") || s.Status != rules.NoIssuesFound {
			t.Errorf("%s, captured at %v: %q, want %q; status %+v", c.rule, c.at, s.NotJudged, c.want, s)
		}
	}
}

// fillStep puts values of all tensors into a step: weights that hardly move, small
// gradients that are alike, units of which none is dead.
func fillStep(p *record.Step, infos []record.TensorInfo) {
	var s plan.Schedule
	s[record.Train].Every, s[record.Global].Every = 50, 50
	pair := plan.Pair{Lag: 1}.Key(s) + "."
	units := plan.Units{Channel: true, Above: 0, Below: math.Inf(1), Inactivity: 0.1, Window: 4}.Key() + "."
	add := func(tensor, stat string, v float64) {
		p.Derived = append(p.Derived, record.Derived{Tensor: tensor, Stat: stat, From: max(0, p.ModeStep-50), Value: v})
	}
	for _, info := range infos {
		size := 1.0
		switch info.Kind {
		case record.Loss:
			continue
		case record.Gradient:
			size = 1e-12
		case record.Weight:
			if p.ModeStep >= 50 {
				add(info.Name, pair+plan.PairMeanAbsDiff, 1e-12)
				add(info.Name, pair+plan.PairMeanAbsFrom, size)
			}
		case record.Output:
			add(info.Name, units+plan.UnitsTotal, 64)
			add(info.Name, units+plan.UnitsInactive, 0)
			add(info.Name, units+plan.UnitsSamples, 256)
		}
		p.Stats = append(p.Stats, record.TensorStats{Tensor: info.Name, Stats: tensor.Stats{Count: 16, Min: size, Max: size, Mean: size, L1: 16 * size}})
	}
}
