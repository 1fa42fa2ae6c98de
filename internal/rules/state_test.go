package rules_test

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// A configuration that has changed begins again; the others go on.
func TestRestoreChangedConfiguration(t *testing.T) {
	j := newJob(t, config("unchanged_tensor", "every", "1"), config("loss_not_decreasing", "every", "1", "num_steps", "1"))
	j.feed(scalarsAt("loss", 1, 1, 1)...)
	state, err := j.engine.Save()
	if err != nil {
		t.Fatal(err)
	}
	k := newJob(t, config("unchanged_tensor", "every", "1", "num_steps", "2"), config("loss_not_decreasing", "every", "1", "num_steps", "1"))
	if err := k.engine.Restore(state); err != nil {
		t.Fatal(err)
	}
	all := k.engine.Statuses()
	if all[0].Datapoints != 0 || all[1].Datapoints != 1 || all[1].Status != rules.IssuesFound || k.engine.Cursor() != 1 {
		t.Errorf("statuses are %+v", all)
	}
	if g := k.engine.Groups(); len(g) != 1 || g[0].Root.Rule != "loss_not_decreasing" {
		t.Errorf("groups are %+v", g)
	}
	if len(k.found) != 0 {
		t.Errorf("told again: %+v", k.found)
	}
	if err := k.engine.Restore([]byte(`{"version":99}`)); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("error is %v", err)
	}
}

// FuzzRestore takes any bytes for a state: an error or a rule with status
// Error, never a panic, and steps can be judged afterwards.
func FuzzRestore(f *testing.F) {
	set, err := rules.Set("all", "")
	if err != nil {
		f.Fatal(err)
	}
	build := func() *rules.Engine {
		e, err := rules.NewEngine(rules.Options{Configs: set})
		if err != nil {
			f.Fatal(err)
		}
		return e
	}
	e := build()
	step := func(n int64) *record.Complete {
		s := &record.Step{Worker: "worker_0", Step: n, ModeStep: n, Scalars: []record.Scalar{{Name: "loss", Value: 1}}, Stats: []record.TensorStats{{Tensor: "gradient/a.weight"}, {Tensor: "a.weight"}}}
		s.Stats[0].Count, s.Stats[1].Count = 4, 4
		return rules.NewComplete([]*record.Step{s})
	}
	e.Observe(step(0))
	state, err := e.Save()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state)
	f.Add([]byte(`{"version":1,"rules":{"not_finite":{"rule":"not_finite","state":null}}}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		e := build()
		_ = e.Restore(state) // an error is one of the outcomes
		e.Observe(step(1 << 40))
		e.Finish(record.Completed)
		e.Statuses()
		e.Groups()
	})
}
