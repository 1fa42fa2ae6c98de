package agent

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

func openTrial(t testing.TB, set Settings) *trial.Trial {
	t.Helper()
	tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func lossAt(i int) float64 { return 1 / float64(i+1) }

// TestRun follows values from a Go hook through the agent and the store to a
// reader.
func TestRun(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	a := startAgent(t, set)
	h := hook.Start(hook.Options{Socket: set.Socket, Model: "Net", Optimizer: "SGD", Loss: "MSELoss"})
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	w, g := h.Parameter("fc", "Linear", "weight", 2, 3)
	const n = 50
	for i := range n {
		s := h.Begin(hook.Train)
		s.Loss(lossAt(i))
		s.Float32(w, []float32{float32(i), 1, 2, 3, 4, 5})
		s.Float32(g, []float32{float32(-i), 0, 0, 0, 0, 1})
		s.End()
		if i%10 == 0 {
			e := h.Begin(hook.Eval)
			e.Scalar("acc", float64(i)/n)
			e.End()
		}
	}
	h.Close()
	a.completed()

	tr := openTrial(t, set)
	run := tr.Run()
	if run.Status != record.Completed || run.Steps["TRAIN"] != n || run.Steps["EVAL"] != 5 || run.Framework.Name != "go" {
		t.Errorf("run: %+v", run)
	}
	if len(run.Workers) != 1 || run.Workers[0].Name != "worker_0" || !run.Workers[0].Chief {
		t.Errorf("workers: %+v", run.Workers)
	}
	if len(run.NotCaptured) > 0 || len(run.Dropped) > 0 {
		t.Errorf("not captured: %+v, dropped %+v", run.NotCaptured, run.Dropped)
	}
	steps, values, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train})
	if err != nil || len(steps) != n {
		t.Fatalf("loss: %d steps, %v", len(steps), err)
	}
	for i, v := range values {
		if steps[i] != int64(i) || v != lossAt(i) {
			t.Errorf("loss at %d (step %d): %g", i, steps[i], v)
		}
	}
	steps, values, err = tr.Series(trial.Query{Tensor: "fc.weight", Stat: "max", Mode: record.Train})
	if err != nil || len(steps) != n {
		t.Fatalf("fc.weight max: %d steps, %v", len(steps), err)
	}
	for i, v := range values {
		if v != math.Max(float64(i), 5) {
			t.Errorf("max of fc.weight at %d: %g", i, v)
		}
	}
	if _, values, _ = tr.Series(trial.Query{Tensor: "acc", Mode: record.Eval}); len(values) != 5 || values[4] != 0.8 {
		t.Errorf("acc: %v", values)
	}
	decided := 0
	if err := tr.Replay(func(*record.Complete) error { decided++; return nil }); err != nil || decided != n+5 {
		t.Errorf("%d complete steps, %v", decided, err)
	}
	kinds := map[string]int{}
	for _, e := range a.list() {
		switch {
		case e.Said != nil:
			kinds["said"]++
		case e.Progress != nil:
			kinds["progress"]++
		case e.Summary != nil:
			kinds["summary"]++
			if e.Summary.Tensors != 4 || e.Summary.Values == 0 || e.Summary.Run.Status != record.Completed {
				t.Errorf("summary: %+v", e.Summary)
			}
		case e.Finding != nil:
			t.Errorf("finding in a healthy training: %+v", e.Finding)
		}
	}
	if kinds["said"] != 1 || kinds["summary"] != 1 {
		t.Errorf("events: %v", kinds)
	}
	if names := tr.Workers(); !slices.Equal(names, []string{"worker_0"}) {
		t.Errorf("workers: %v", names)
	}
}
