package agent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// trainedRun is run.json of a run of train.py that made 100 updates.
func trainedRun(secondsPerStep float64) record.Run {
	part := func(share float64) record.Span { return record.Span(share * secondsPerStep * 100 * 1e9) }
	return record.Run{
		Format: record.RunFormat, Host: "h", Directory: "/work", Command: []string{"python", "train.py", "--lr", "0.1"}, Status: record.Completed,
		Framework: record.Framework{Name: "pytorch"}, Workers: []record.Worker{{Name: "worker_0", World: 1, Chief: true}},
		Facts: json.RawMessage(`{"models":[{"parameters":1000}],"inputs":{"at":0,"tensors":[{"shape":[32,8]}]}}`),
		Time:  &record.RunTime{Modes: map[string]record.ModeTime{"TRAIN": {Steps: 100, Seconds: part(1), Parts: map[string]record.Span{"forward": part(0.75), "data": part(0.25)}}}},
	}
}

// Runs are compared with the last five that compare.
func TestEarlierRuns(t *testing.T) {
	slower := func(change func(*record.Run)) record.Run {
		r := trainedRun(9)
		change(&r)
		return r
	}
	for _, c := range []struct {
		name string
		runs []record.Run // oldest first
		want string       // how many, per step, most, forward
	}{
		{"none", nil, ""},
		{"one", []record.Run{trainedRun(0.2)}, "1 0.20 0.20 0.15"},
		{"median and most", []record.Run{trainedRun(0.2), trainedRun(0.6), trainedRun(0.4)}, "3 0.40 0.60 0.30"},
		{"the last five", []record.Run{trainedRun(9), trainedRun(0.2), trainedRun(0.2), trainedRun(0.2), trainedRun(0.2), trainedRun(0.2)}, "5 0.20 0.20 0.15"},
		{"too short", []record.Run{trainedRun(0.05)}, ""},
		{"too few updates", []record.Run{slower(func(r *record.Run) { r.Time.Modes["TRAIN"] = record.ModeTime{Steps: 10, Seconds: 90e9} })}, ""},
		{"a run without times", []record.Run{slower(func(r *record.Run) { r.Time = nil })}, ""},
		{"one that failed", []record.Run{slower(func(r *record.Run) { r.Status = record.Failed })}, ""},
		{"another machine", []record.Run{slower(func(r *record.Run) { r.Host = "other" })}, ""},
		{"another directory", []record.Run{slower(func(r *record.Run) { r.Directory = "/other" })}, ""},
		{"another script", []record.Run{slower(func(r *record.Run) { r.Command[1] = "eval.py" })}, ""},
		{"other flags", []record.Run{func() record.Run { r := trainedRun(0.2); r.Command[3] = "9"; return r }()}, "1 0.20 0.20 0.15"},
		{"another framework", []record.Run{slower(func(r *record.Run) { r.Framework.Name = "xgboost" })}, ""},
		{"more processes", []record.Run{slower(func(r *record.Run) { r.Workers[0].World = 2 })}, ""},
		{"a larger model", []record.Run{slower(func(r *record.Run) { r.Facts = json.RawMessage(`{"models":[{"parameters":2000}]}`) })}, ""},
		{"larger batches, of the first input", []record.Run{slower(func(r *record.Run) {
			r.Facts = json.RawMessage(`{"models":[{"parameters":1000}],"inputs":{"tensors":[{"shape":[64,8]}]}}`)
		})}, ""},
		{"larger batches, of the loader", []record.Run{slower(func(r *record.Run) { r.Time.BatchSize = 64 })}, ""},
		{"a size of batches that only one knows", []record.Run{func() record.Run { r := trainedRun(0.2); r.Facts = nil; return r }()}, "1 0.20 0.20 0.15"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for i, run := range c.runs {
				run.Name = fmt.Sprint("run", i)
				run.Started = begun.Add(time.Duration(i) * time.Hour)
				w, err := store.Create(vfs.OS, root, run.Name, run)
				if err == nil {
					err = w.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			got, now := "", trainedRun(1)
			now.Time.BatchSize = 32
			if b := earlierOf(root, filepath.Join(root, "now"), now); b != nil {
				got = fmt.Sprintf("%d %.2f %.2f %.2f", b.Runs, b.PerStep, b.Most, b.Parts["forward"])
			}
			if got != c.want {
				t.Errorf("earlier runs: %q, want %q", got, c.want)
			}
		})
	}
}

// What changed is told against the last of them.
func TestChangedSinceTheLastRun(t *testing.T) {
	root, was := t.TempDir(), trainedRun(0.2)
	was.Provenance = &record.Provenance{Git: &record.Git{Commit: "aaaa"}, Machine: &record.Machine{Cores: 2}}
	w, err := store.Create(vfs.OS, root, "was", was)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for commit, want := range map[string]string{"aaaa": "", "bbbb": "commit aaaa → bbbb"} {
		now := trainedRun(1)
		now.Provenance = &record.Provenance{Git: &record.Git{Commit: commit}, Machine: &record.Machine{Cores: 2}}
		b := earlierOf(root, filepath.Join(root, "now"), now)
		if b == nil || strings.Join(b.Changed, "; ") != want || !b.Known {
			t.Errorf("commit %s: %+v, want %q", commit, b, want)
		}
	}
}
