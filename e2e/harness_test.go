// Package e2e tests the program from outside: the built binary, real PyTorch
// scripts, and the store they leave behind.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

var binary string // the program under test, built once

func TestMain(m *testing.M) {
	testenv.DefaultSignals()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "vigil-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, "make directory for the binary:", err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "vigil")
		if err := testenv.Build(binary); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer endForks()
		return m.Run()
	}())
}

// outcome is what a finished command left.
type outcome struct {
	code           int
	stdout, stderr string
}

// command prepares a process with one compute thread and nothing of Vigil in
// its environment but what env adds.
func command(ctx context.Context, dir string, env []string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(testenv.Environ(nil), "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "PYTHONUNBUFFERED=1")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// run runs a command to its end, at most a quarter of an hour.
func run(t *testing.T, dir string, env []string, argv ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, env, argv...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%q did not end in a quarter of an hour\nstdout: %s\nstderr: %s", argv, &stdout, &stderr)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("start %q: %v", argv, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// script is the path of one of the training scripts.
func script(name string) string { return filepath.Join(testenv.Root(), "e2e", "scripts", name+".py") }

// runDir is the only run below a root.
func runDir(t *testing.T, root string) string {
	t.Helper()
	entries, err := trial.List(root)
	if err != nil || len(entries) != 1 {
		t.Fatalf("list runs in %q: %d entries, %v", root, len(entries), err)
	}
	return entries[0].Path
}

func open(t *testing.T, path string) *trial.Trial {
	t.Helper()
	tr, err := trial.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// decode reads one JSON document a command printed.
func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
}
