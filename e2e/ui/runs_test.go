package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// Runs that are recorded once, each by the program itself with a real training.
const (
	healthy  = "healthy"  // PyTorch, nothing wrong
	faulty   = "faulty"   // vanishing gradients, in Go
	ranks    = "ranks"    // two of them
	boosting = "boosting" // XGBoost
	slow     = "slow"     // waits for data
	damaged  = "damaged"  // the healthy one, with bytes changed
)

// environment is the tests' own without what is Vigil's, with one compute thread.
func environment() []string {
	return append(testenv.Environ(nil, "SSH_"), "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "PYTHONUNBUFFERED=1")
}

// recordRuns records them below root, two at a time.
func recordRuns(dir, root string) error {
	python := os.Getenv("VIGIL_TEST_PYTHON")
	if python == "" {
		return errors.New("find Python: VIGIL_TEST_PYTHON is not set; ./test.sh sets it")
	}
	script := func(name string) string { return filepath.Join(testenv.Root(), "e2e", "scripts", name+".py") }
	list := [][]string{
		{healthy, python, script("mlp")},
		{ranks, python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", script("ddp")},
		{boosting, python, script("boosting"), "train"},
		{slow, python, script("slow_loader"), "150"},
		{faulty},
	}
	places := make(chan struct{}, 2)
	var group sync.WaitGroup
	failures := make([]error, len(list))
	for i, l := range list {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			failures[i] = recordRun(dir, root, l[0], l[1:])
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	return damage(filepath.Join(root, healthy), filepath.Join(root, damaged))
}

// recordRun records one; without a command it is the demo.
func recordRun(dir, root, name string, command []string) error {
	argv := append([]string{"run", "--dir", root, "--name", name, "--quiet", "--tag", "kind=" + name, "--keep-output", "--"}, command...)
	if len(command) == 0 {
		argv = []string{"demo", "--go", "--dir", filepath.Join(dir, "demo")}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, argv...)
	cmd.Dir, cmd.Env = dir, environment()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 && len(command) == 0 {
		err = nil // a rule stopped it, as it should
	}
	switch {
	case err != nil:
		return fmt.Errorf("record run %q: %w\n%s", name, err, &said)
	case len(command) == 0:
		return move(filepath.Join(dir, "demo"), filepath.Join(root, name))
	}
	return nil
}

// move gives the only run below a root a place among the others.
func move(from, to string) error {
	list, err := filepath.Glob(filepath.Join(from, "*", "run.json"))
	if err != nil || len(list) != 1 {
		return fmt.Errorf("find the demo's run in %q: %d of them, %w", from, len(list), err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(filepath.Dir(list[0]), to)
}

// damage copies a run and changes bytes of what it sealed.
func damage(from, to string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("copy a run: %w", err)
	}
	list, err := filepath.Glob(filepath.Join(to, "series", "*", "scalars-*.parquet"))
	if err != nil || len(list) == 0 {
		return fmt.Errorf("find what to damage in %q: %d files, %w", to, len(list), err)
	}
	b, err := os.ReadFile(list[0])
	if err != nil {
		return err
	}
	for i := len(b) / 4; i < len(b)/2; i += 7 {
		b[i] ^= 0x55
	}
	return os.WriteFile(list[0], b, 0o644)
}
