package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/vigil-ml/vigil/internal/trial"
)

// measure looks at what a training that has ended left in its folder: the
// bytes, and of how many tensors times steps there is a value or statistics.
func (b bench) measure(t *run) error {
	err := filepath.WalkDir(t.out, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			t.bytes += info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("measure what %q wrote: %w", t.condition.name, err)
	}
	switch {
	case t.condition.vigil:
		t.values, t.due, err = captured(filepath.Join(t.out, runName))
	case t.condition.peer != "" && t.condition.peer != floor:
		t.values, err = b.peerCaptured(t)
	}
	if err != nil {
		return fmt.Errorf("count what %q captured: %w", t.condition.name, err)
	}
	return nil
}

// captured counts the values of a run of Vigil and their bytes (of float32, as
// all the workloads have), of losses none.
func captured(path string) (n, due int64, err error) {
	t, err := trial.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer t.Close()
	for _, info := range t.Tensors() {
		if len(t.StatNames(info.Name)) == 0 {
			continue
		}
		for _, mode := range t.Modes() {
			steps := map[int64]bool{}
			for _, s := range t.RawSteps(info.Name, mode, "worker_0") {
				steps[s] = true
			}
			rows, err := t.Stats(trial.Query{Tensor: info.Name, Mode: mode, Worker: "worker_0"})
			if err != nil {
				return 0, 0, err
			}
			for _, r := range rows {
				steps[r.ModeStep] = true
			}
			size := int64(4)
			for _, d := range info.Shape {
				size *= d
			}
			n, due = n+int64(len(steps)), due+size*int64(len(steps))
		}
	}
	return n, due, nil
}

func (b bench) peerCaptured(t *run) (int64, error) {
	cmd := exec.Command(b.interpreter(t.condition), "bench/overhead/captured.py", t.condition.peer, t.out)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	var found struct{ Values int64 }
	if err := json.Unmarshal(out, &found); err != nil {
		return 0, fmt.Errorf("read %q: %w", out, err)
	}
	return found.Values, nil
}
