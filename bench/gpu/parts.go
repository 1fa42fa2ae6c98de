package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vigil-ml/vigil/bench/internal/training"
)

// first is how many steps count for nothing, as in bench/time/train.py.
const first = 20

// parts of a step as the run has them, next to those that the same training measured by events of the device.
func (b *bench) parts() (*outcome, error) {
	dir, err := os.MkdirTemp("", "vigil-gpu-parts-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	name := "gpu"
	if b.dry {
		name = "compute"
	}
	train := []string{b.python, "bench/time/train.py", name, "measure"}
	said, err := b.said(append([]string{b.vigil, "run", "--quiet", "--no-status", "--dir", dir, "--name", "run", "--"}, train...)...)
	if err != nil {
		return nil, err
	}
	var own map[string]float64
	if err := json.Unmarshal(said, &own); err != nil {
		return nil, fmt.Errorf("read the parts that the training measured: %w", err)
	}
	ours, err := training.Parts(filepath.Join(dir, "run"), first)
	if err != nil {
		return nil, err
	}
	return &outcome{Parts: map[string]map[string]float64{"Vigil": ours, "events": own}}, nil
}

// statistics of many tensors computed on the device, next to those of the same operations on the CPU.
func (b *bench) statistics() (*outcome, error) {
	said, err := b.said(b.python, "bench/gpu/statistics.py")
	if err != nil {
		return nil, err
	}
	o := &outcome{}
	if err := json.Unmarshal(said, &o.Statistics); err != nil {
		return nil, fmt.Errorf("read the statistics: %w", err)
	}
	return o, nil
}

// said is what a command printed.
func (b *bench) said(argv ...string) ([]byte, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(os.Environ(), b.environment()...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", strings.Join(argv, " "), err, &stderr)
	}
	return out, nil
}
