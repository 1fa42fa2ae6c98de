package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/forks"
)

// The dry run goes through every kind of stage. A call without time does nothing, and one that finds a stage done goes on behind it.
// What is equal on the CPU has to be equal; what is measured there means nothing, and is only looked for.
func TestDryRun(t *testing.T) {
	t.Chdir(testenv.Root())
	dir := t.TempDir()
	b := &bench{python: forking(t), vigil: filepath.Join(dir, "vigil"), state: filepath.Join(dir, "state"), out: filepath.Join(dir, "out"), dry: true}
	if err := testenv.Build(b.vigil); err != nil {
		t.Fatal(err)
	}
	all := stages(true)
	call := func(d time.Duration) int {
		b.until = time.Now().Add(d)
		left, err := b.run()
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	if left := call(-time.Second); left != len(all) {
		t.Errorf("a call without time left %d of %d stages", left, len(all))
	}
	done := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	if err := b.keep(all[0].name, &outcome{Stage: all[0].name, Skipped: "done by a call before"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(b.file(all[0].name), done, done); err != nil {
		t.Fatal(err)
	}
	if left := call(time.Hour); left != 0 {
		t.Errorf("%d stages are left", left)
	}
	if info, err := os.Stat(b.file(all[0].name)); err != nil || !info.ModTime().Equal(done) {
		t.Errorf("a finished stage was done again: %v", err)
	}
	var r report
	paths, _ := filepath.Glob(filepath.Join(b.out, "*.json"))
	if len(paths) != 1 {
		t.Fatalf("reports: %q", paths)
	}
	text, err := os.ReadFile(paths[0])
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stages) != len(all) {
		t.Errorf("%d of %d stages are in the report", len(r.Stages), len(all))
	}
	for _, o := range r.Stages {
		if o.Error != "" {
			t.Errorf("%s: %s", o.Stage, o.Error)
		}
		for what, equal := range o.Equal {
			if !equal {
				t.Errorf("%s: %s is not equal", o.Stage, what)
			}
		}
		for _, c := range o.Costs {
			if !(c.Wall.Mid > 0 && c.CPU.Mid > 0) {
				t.Errorf("%s: %s was not measured", o.Stage, c.Way)
			}
		}
		for _, p := range o.Parts {
			if p["forward"] <= 0 || p["backward"] <= 0 {
				t.Errorf("%s: parts of a step: %v", o.Stage, p)
			}
		}
	}
	table, err := os.ReadFile(strings.TrimSuffix(paths[0], ".json") + ".md")
	if err != nil || !strings.Contains(string(table), "| defaults, steps 50 to 240 |") {
		t.Errorf("the table: %v\n%s", err, table)
	}
}

// forking is a program that runs a script as Python would, in a fork of one process that has PyTorch.
func forking(t *testing.T) string {
	t.Helper()
	server, err := forks.Watched(testenv.Python(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec "+server.Shell()+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// The statistics of the device are compared with themselves where there is none; that is what a difference of 0 means.
func TestStatistics(t *testing.T) {
	t.Chdir(testenv.Root())
	b := &bench{python: testenv.Python(t), dry: true}
	o, err := b.statistics()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"float32", "bfloat16", "float16", "float64", "int64"} {
		if s, there := o.Statistics[name]; !there || !s.Counts || s.Relative != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// nvidia-smi is asked for one line each half a second; the last one may be cut.
func TestOfSMI(t *testing.T) {
	for _, c := range []struct {
		said string
		want [2]float64
	}{
		{"", [2]float64{}},
		{"80, 1000, 4000\n100, 3000, 4000\n 90, 20", [2]float64{90, 50}},
		{"[N/A], 1000, 4000\n40, 1000, 4000\n", [2]float64{40, 25}},
	} {
		if got := ofSMI([]byte(c.said)); got != c.want {
			t.Errorf("%q: %v, want %v", c.said, got, c.want)
		}
	}
}
