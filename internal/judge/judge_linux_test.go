package judge_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

var workers = []string{"worker_0", "worker_1"}

var infos = []record.TensorInfo{{Name: "loss", Kind: record.Loss, Collections: []string{"losses"}}}

// parts are ten steps of two workers; one loss of the second is no number.
func parts() (steps [][]*record.Step) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := range int64(10) {
		var step []*record.Step
		for _, worker := range workers {
			loss := 1.0
			if worker == workers[1] && n == 6 {
				loss = math.NaN()
			}
			step = append(step, &record.Step{Worker: worker, Step: n, Mode: record.Train, ModeStep: n, Time: begin.Add(time.Duration(n) * time.Second), Seconds: 1,
				Scalars: []record.Scalar{{Name: "loss", Value: loss}}})
		}
		steps = append(steps, step)
	}
	return steps
}

// described is the run as it says of itself.
func described(mutes ...record.Mute) record.Run {
	return record.Run{Format: record.RunFormat, Name: "run", Status: record.Completed, Workers: []record.Worker{{Name: "worker_1", Chief: true}}, Mutes: mutes}
}

// stored writes the run.
func stored(t *testing.T, mutes ...record.Mute) *trial.Trial {
	t.Helper()
	w, err := store.Create(vfs.OS, t.TempDir(), "run", described(mutes...))
	if err != nil {
		t.Fatal(err)
	}
	for _, worker := range workers {
		if err := w.Announce(worker, infos); err != nil {
			t.Fatal(err)
		}
	}
	for n, step := range parts() {
		for _, p := range step {
			if err := w.Append(p.Worker, p.Worker, uint64(n+1), p); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Complete(rules.NewComplete(step)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := trial.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// A run is judged alike part by part while it is live, as complete steps, and from
// the store; the mutes that it carries hold each time.
func TestEveryWayJudgesAlike(t *testing.T) {
	for _, mutes := range [][]record.Mute{nil, {{Rule: "not_finite", Tensor: "^loss$", Reason: "known"}}} {
		for name, way := range map[string]func(judge.Options) (*judge.Judge, error){
			"live": func(o judge.Options) (*judge.Judge, error) {
				j, err := judge.New(t.Context(), o)
				if err != nil {
					return nil, err
				}
				defer j.Close()
				for _, worker := range workers {
					j.Engine.Announce(worker, infos)
					j.Worker(worker)
				}
				for n, step := range parts() {
					for _, p := range step {
						if n == 9 && p.Worker == workers[0] {
							continue // the other one waits for it in vain
						}
						j.Add(p)
					}
				}
				if j.Steps() != 9 {
					t.Errorf("%d steps are judged before the end, want 9", j.Steps())
				}
				j.End()
				j.Engine.Finish(record.Completed)
				return j, nil
			},
			"complete steps": func(o judge.Options) (*judge.Judge, error) {
				j, err := judge.New(t.Context(), o)
				if err != nil {
					return nil, err
				}
				defer j.Close()
				for _, step := range parts() {
					j.Decided(rules.NewComplete(step))
				}
				j.Engine.Finish(record.Completed)
				return j, nil
			},
			"stored": func(o judge.Options) (*judge.Judge, error) { return judge.Stored(t.Context(), stored(t, mutes...), o) },
		} {
			var found []record.Finding
			decisions, seen := 0, 0
			j, err := way(judge.Options{
				Run: described(mutes...), OnDecision: func(*record.Complete) { decisions++ }, OnStep: func(*record.Complete) { seen++ },
				Rules: rules.Options{
					Configs:   []rules.Config{{Rule: "not_finite", Configuration: "not_finite"}},
					OnFinding: func(f record.Finding) { found = append(found, f) },
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].Step != 6 || found[0].Worker != workers[1] || found[0].Muted != (len(mutes) > 0) {
				t.Errorf("%s, mutes %v: found %+v", name, mutes, found)
			}
			if want := map[bool]int{true: 10}[name == "live"]; j.Steps() != 10 || seen != 10 || decisions != want {
				t.Errorf("%s: %d steps judged, %d seen, %d decided; want 10, 10, %d", name, j.Steps(), seen, decisions, want)
			}
		}
	}
}

// When its context is done a stored run is judged no further.
func TestStoredEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var seen []int64
	_, err := judge.Stored(ctx, stored(t), judge.Options{OnStep: func(c *record.Complete) {
		if seen = append(seen, c.Step); c.Step == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || !slices.Equal(seen, []int64{0, 1, 2, 3}) {
		t.Errorf("steps %v were judged, error %v", seen, err)
	}
}

// A rule in a process of its own ends with the context, also in the middle of a
// step that it would not finish.
func TestRulesInPythonEndWithTheContext(t *testing.T) {
	source := filepath.Join(t.TempDir(), "mine.py")
	text := `
import time

from vigil.rules import Rule


class Mine(Rule):
    def invoke_at_step(self, step):
        print("at step", step)
        while True:
            time.sleep(3600)
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := judge.Stored(ctx, stored(t), judge.Options{Rules: rules.Options{
		Configs: []rules.Config{{Rule: "mine", Configuration: "mine", Params: map[string]string{"source": source, "max_seconds": "86400"}}},
		Python:  &pyrule.Host{Python: testenv.Python(t), Lib: filepath.Join(testenv.Root(), "python"), Run: "run", Path: t.TempDir()},
		OnPrint: func(_, line string) {
			if line == "at step 0" {
				cancel()
			}
		},
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
