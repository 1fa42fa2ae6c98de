// Package written writes a run whose values are known by formula, for tests: the
// same each time.
package written

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Started is when the run began; its first step closed a second later, and each
// further one a tenth of a second after the one before.
var Started = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

// The run trains three epochs of 40 updates and evaluates 10 batches after each.
const (
	Epochs, Updates, Batches = 3, 40, 10
	Diverged                 = 100 // the update from which on the loss is NaN
)

// Loss is the loss of an update.
func Loss(step int64) float64 {
	if step >= Diverged {
		return math.NaN()
	}
	return 2 / (1 + float64(step)/10)
}

// EvalLoss is the loss of a batch of an evaluation.
func EvalLoss(step int64) float64 { return 3 - float64(step)/20 }

// Write writes the run below root. Its weight fc.weight has statistics at every
// second update; its gradient exploded at update 90, which a rule found.
func Write(t testing.TB, root, name string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ended := Started.Add(20 * time.Second)
	code := 0
	w, err := store.Create(vfs.OS, root, name, record.Run{
		Format: record.RunFormat, Name: name, Command: []string{"python", "train.py", "--lr", "0.1"}, Host: "workstation", Directory: "/home/ada",
		Framework: record.Framework{Name: "pytorch", Version: "2.15.0"}, Started: Started, Ended: &ended, ExitCode: &code, Status: record.Completed, Vigil: "0.1.0",
		Workers: []record.Worker{{Name: "worker_0", World: 1, Host: "workstation", PID: 4711, Chief: true}},
		Steps:   map[string]int64{"TRAIN": Epochs * Updates, "EVAL": Epochs * Batches}, Dropped: map[string]int64{}, Plan: []record.PlanChange{},
		Facts: json.RawMessage(`{"v":1,"epochs":{"batches":40,"total":120,"stretches":[{"at":0,"number":1,"updates":40}]}}`),
	})
	must(err)
	must(w.Announce("worker_0", []record.TensorInfo{
		{Name: "loss", Kind: record.Loss, Collections: []string{"all", "losses"}},
		{Name: "fc.weight", Kind: record.Weight, DType: "F32", Shape: []int64{4, 3}, Module: "fc", ModuleType: "Linear", Order: 1, Collections: []string{"all", "weights"}},
		{Name: "gradient/fc.weight", Kind: record.Gradient, DType: "F32", Shape: []int64{4, 3}, Module: "fc", Order: 2, Collections: []string{"all", "gradients"}},
		{Name: "accuracy", Kind: record.Metric, Collections: []string{"all", "metrics"}},
	}))
	var global, train, eval int64
	step := func(mode record.Mode, at int64, s *record.Step) {
		s.Worker, s.Step, s.Mode, s.ModeStep = "worker_0", global, mode, at
		s.Time, s.Seconds = Started.Add(time.Second+time.Duration(global)*100*time.Millisecond), 0.1
		must(w.Append("worker_0", "", 0, s))
		global++
	}
	for range Epochs {
		for range Updates {
			s := &record.Step{Scalars: []record.Scalar{{Name: "loss", Value: Loss(train)}}}
			if train%2 == 0 {
				s.Stats = []record.TensorStats{{Tensor: "fc.weight", Stats: Stats(float64(train))}, {Tensor: "gradient/fc.weight", Stats: Stats(Gradient(train))}}
			}
			step(record.Train, train, s)
			train++
		}
		for range Batches {
			step(record.Eval, eval, &record.Step{Scalars: []record.Scalar{{Name: "loss", Value: EvalLoss(eval)}, {Name: "accuracy", Value: float64(eval) / 100}}})
			eval++
		}
		must(w.Seal())
	}
	f := record.Finding{
		Rule: "exploding_tensor", RuleClass: "ExplodingTensor", Configuration: "exploding_tensor", Check: "magnitude", Severity: record.Error,
		Step: 110, Mode: record.Train, ModeStep: 90, Worker: "worker_0", Time: Started.Add(12 * time.Second), Subject: "gradient/fc.weight",
		Observed: record.Number(Gradient(90)), Threshold: 1000, Comparator: ">", Context: map[string]any{"largest": "fc.weight"}, Message: "The gradient of `fc.weight` exploded.",
		CauseClass: "optimisation", Cause: "the learning rate is too high", Remedy: "lower it",
	}
	must(w.Finding(f))
	must(w.Summary([]record.Group{{Root: f, Symptoms: []record.Finding{}, CauseClass: f.CauseClass}}))
	must(w.Statuses([]record.RuleStatus{
		{Rule: "exploding_tensor", Configuration: "exploding_tensor", Parameters: map[string]string{"threshold": "1000"}, Status: "IssuesFound", Datapoints: 60, Findings: 1, RuleTriggered: 1, Violations: 1},
		{Rule: "overfit", Configuration: "overfit", Status: "NoIssuesFound", Datapoints: 3},
	}))
	must(w.Close())
}

// Gradient is each element of the gradient of an update.
func Gradient(step int64) float64 {
	if step >= 90 {
		return 5000
	}
	return 0.5
}

// Stats are those of 12 elements that are all one value.
func Stats(v float64) tensor.Stats {
	return tensor.Stats{Count: 12, Min: v, Max: v, Mean: v, L1: 12 * math.Abs(v)}
}
