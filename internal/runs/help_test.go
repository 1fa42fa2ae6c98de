package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

var began = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// made says what a run looks like.
type made struct {
	steps   int
	running bool
	found   []record.Finding
	at      time.Duration // after began
	series  int           // further ones
}

func scalars(m made, step int) []record.Scalar {
	loss := 2 / (1 + float64(step))
	if step == 3 {
		loss = math.NaN()
	}
	list := []record.Scalar{{Name: "loss", Value: loss}, {Name: "accuracy", Value: 1 - loss/2}, {Name: "temperature", Value: float64(step)}}
	for i := range m.series {
		list = append(list, record.Scalar{Name: fmt.Sprintf("metric_%02d", i), Value: math.Sin(float64(i * step))})
	}
	return list
}

// write writes a run below root; its writer is open while it runs.
func write(t testing.TB, root, name string, m made) *store.Writer {
	t.Helper()
	started := began.Add(m.at)
	lr := 0.1
	facts, err := json.Marshal(record.Facts{V: 1, Optimisers: []record.OptimiserFacts{{Class: "SGD", LR: &lr}}, Epochs: &record.EpochFacts{Total: 20}})
	ok(t, err)
	w, err := store.Create(vfs.OS, root, name, record.Run{
		Format: record.RunFormat, Name: name, Command: []string{"python", "train.py", "--lr", "0.1"}, Host: "workstation", Started: started, Status: record.Running,
		Framework:  record.Framework{Name: "pytorch", Version: "2.15.0"},
		Provenance: &record.Provenance{Hyperparameters: map[string]string{"lr": "0.1"}, Machine: &record.Machine{OS: "linux", Cores: 8, Memory: 64e9}, Devices: []record.Device{{Type: "cuda", Name: "NVIDIA H100"}}},
		Steps:      map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{}, Facts: facts,
		Time: &record.RunTime{BatchSize: 64, Modes: map[string]record.ModeTime{"TRAIN": {Steps: 10, Seconds: 10e9, Parts: map[string]record.Span{record.WaitForData.String(): 4e9, record.Forward.String(): 6e9}}}},
	})
	ok(t, err)
	grow(t, w, m, 0, m.steps)
	for i := range m.found {
		ok(t, w.Finding(m.found[i]))
	}
	if len(m.found) > 0 {
		ok(t, w.Summary([]record.Group{{Root: m.found[0], Symptoms: m.found[1:]}}))
	}
	if !m.running {
		end(t, w, started.Add(time.Minute))
	}
	return w
}

func grow(t testing.TB, w *store.Writer, m made, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		ok(t, w.Append("worker_0", "session", uint64(i+1), &record.Step{Worker: "worker_0", Step: int64(i), Mode: record.Train, ModeStep: int64(i), Time: began.Add(m.at + time.Duration(i)*time.Second), Seconds: 1, Scalars: scalars(m, i)}))
	}
	ok(t, w.UpdateRun(func(r *record.Run) { r.Steps["TRAIN"] = int64(to) }))
}

func end(t testing.TB, w *store.Writer, at time.Time) {
	t.Helper()
	code := 0
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status, r.Ended, r.ExitCode = record.Completed, &at, &code }))
	ok(t, w.Close())
}

// age makes all files of a root old enough to be trusted.
func age(t testing.TB, root string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	ok(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}

// index opens an index that looks each time.
func index(t testing.TB, fsys vfs.FS, root string) *runs.Index {
	t.Helper()
	x := runs.Open(fsys, root, runs.Options{Fresh: time.Nanosecond, Share: -1})
	t.Cleanup(func() { ok(t, x.Close()) })
	return x
}

func all(t testing.TB, x *runs.Index) []runs.Row {
	t.Helper()
	l, err := x.All(context.Background())
	ok(t, err)
	return l.Rows
}

func names(rows []runs.Row) []string {
	list := []string{}
	for i := range rows {
		list = append(list, rows[i].Name)
	}
	return list
}
