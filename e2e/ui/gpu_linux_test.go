package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/monitor"
	"github.com/vigil-ml/vigil/internal/nvml"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// sampled is a run of a minute next to two GPUs, read by the program that reads them, from a library that is in
// for NVIDIA's; its tag says so.
func sampled(t *testing.T) *dashboard {
	t.Helper()
	dir, root := t.TempDir(), t.TempDir()
	program, library := filepath.Join(dir, nvml.Program), filepath.Join(dir, "nvml.so")
	for _, cmd := range []*exec.Cmd{
		exec.Command("go", "build", "-o", program, "./cmd/vigil-nvml"),
		exec.Command("cc", "-shared", "-fPIC", "-o", library, filepath.Join("internal", "monitor", "testdata", "nvml", "nvml.c")),
	} {
		cmd.Dir, cmd.Env = testenv.Root(), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	began := time.Now().Add(-time.Hour).UTC()
	w, err := store.Create(vfs.OS, root, "gpus", record.Run{Format: record.RunFormat, Name: "gpus", Command: []string{"python", "train.py"}, Host: "workstation", Started: began, Status: record.Running, Steps: map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{}})
	if err != nil {
		t.Fatal(err)
	}
	s := monitor.New(monitor.Options{Host: "workstation", NVML: []string{program, library}})
	defer s.Close()
	for deadline := time.Now().Add(time.Minute); !has(s.Sample(began), "gpu/1/utilization"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no GPU was sampled: %v", s.Missing())
		}
	}
	for i := range 120 {
		if err := w.Samples(s.Sample(began.Add(time.Duration(i+1) * 500 * time.Millisecond))); err != nil {
			t.Fatal(err)
		}
	}
	ended := began.Add(time.Minute)
	if err := w.UpdateRun(func(r *record.Run) { r.Status, r.Ended = record.Completed, &ended }); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: map[string]string{"gpus": "made"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return serving(t, root)
}

func has(s record.Sample, name string) bool {
	for _, v := range s.Values {
		if v.Name == name {
			return true
		}
	}
	return false
}

// What the library says of the GPUs is what the page shows: 90 % and 91 %, 4 GiB of 16.
func TestSampledGPUs(t *testing.T) {
	b := open(t, sampled(t), "/runs/gpus/machine")
	b.shows("total GPU")
	for row, want := range map[string]string{"total GPU": "90.5 %", "total GPU memory": "25 %"} {
		if cells := b.value(`[...document.querySelectorAll("tr")].find(r => r.innerText.trim().startsWith(` + quote(row+"\t") + `) || r.cells[0].innerText.trim() === ` + quote(row) + `).innerText.replace(/\s+/g, " ")`); !contains(cells, want) {
			t.Errorf("%s: %q, want %s", row, cells, want)
		}
	}
	b.picture("gpus")
	b.accessible(axe(t))
	b.visit("/runs/gpus/overview")
	b.shows("GPU")
	b.picture("gpus-overview")
	b.visit("/runs")
	b.shows("gpus=made")
}
