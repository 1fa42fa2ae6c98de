// Command gpu does all that only a GPU can show: what Vigil costs there, that it changes no bit of a training, that statistics
// computed on the device are those of the CPU, that parts of steps are those of CUDA events and our metrics those of nvidia-smi.
//
// It works in stages, each of which leaves a file in the folder of its state. A call does what there is time for, and the next one
// goes on; after each stage the report is written, as JSON and as a table. bench/gpu/build.sh builds it, bench/gpu/run.sh runs it,
// from the repository's root.
//
// With -dry it goes through the same stages in tiny sizes on the CPU, which shows that it works and measures nothing.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// errNoTime ends a call: what was begun is done again by the next one.
var errNoTime = errors.New("out of time")

// bench is one call.
type bench struct {
	python, vigil      string
	state, out, device string
	dry                bool
	until              time.Time
}

func main() {
	var b bench
	flag.StringVar(&b.python, "python", "python3", "interpreter with PyTorch")
	flag.StringVar(&b.vigil, "vigil", "build/gpu/vigil", "the vigil program")
	flag.StringVar(&b.state, "state", "build/gpu/state", "folder in which finished stages are kept")
	flag.StringVar(&b.out, "out", "docs/lab/gpu", "folder for the report")
	flag.BoolVar(&b.dry, "dry", false, "tiny sizes on the CPU, which measure nothing")
	limit := flag.Duration("limit", 9*time.Minute, "how long this call may take")
	flag.Parse()
	b.until = time.Now().Add(*limit)
	left, err := b.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
		os.Exit(1)
	}
	if left > 0 {
		fmt.Printf("%d stages are left: run it again\n", left)
	}
}

// run does the stages that are left; how many are left then.
func (b *bench) run() (left int, err error) {
	if b.device, err = b.name(); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(b.state, 0o755); err != nil {
		return 0, fmt.Errorf("make the folder of the state: %w", err)
	}
	for _, s := range stages(b.dry) {
		if _, err := os.Stat(b.file(s.name)); err == nil {
			continue
		}
		if left > 0 || time.Until(b.until) < s.needs {
			left++
			continue
		}
		began := time.Now()
		result, err := s.do(b)
		switch {
		case errors.Is(err, errNoTime):
			left++
			continue
		case err != nil:
			result = &outcome{Error: err.Error()} // the other stages are worth doing
		}
		result.Stage, result.Seconds = s.name, time.Since(began).Seconds()
		if err := b.keep(s.name, result); err != nil {
			return left, err
		}
		fmt.Printf("%s: %.0f s\n", s.name, result.Seconds)
		if err := b.report(); err != nil {
			return left, err
		}
	}
	return left, nil
}

// name of what is measured.
func (b *bench) name() (string, error) {
	if b.dry {
		return "the CPU, in tiny sizes: nothing is measured", nil
	}
	cmd := exec.Command(b.python, "-c", "import torch; print(torch.cuda.get_device_name() + ', PyTorch ' + torch.__version__ if torch.cuda.is_available() else '')")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %q for its GPU: %w", b.python, err)
	}
	if name := strings.TrimSpace(string(out)); name != "" {
		return name, nil
	}
	return "", fmt.Errorf("%s finds no GPU on this machine; nothing was measured", b.python)
}

func (b *bench) file(stage string) string { return filepath.Join(b.state, stage+".json") }

// keep writes what a stage found; the file is there whole or not at all.
func (b *bench) keep(stage string, r *outcome) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("write what %s found: %w", stage, err)
	}
	path := b.file(stage)
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("keep what %s found: %w", stage, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("keep what %s found: %w", stage, err)
	}
	return nil
}

// environment of a training.
func (b *bench) environment(more ...string) []string {
	env := []string{"BENCH_DEVICE=cuda", "CUBLAS_WORKSPACE_CONFIG=:4096:8"}
	if b.dry {
		env = []string{"BENCH_DEVICE=tiny", "VIGIL_DEVICE=cpu", "OMP_NUM_THREADS=1"}
	}
	return append(env, more...)
}
