package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/forks"
)

// bench runs programs under vigil and reads what it says of them.
type bench struct {
	vigil   string // the binary
	python  string
	suite   string // the folder of the programs, absolute
	runs    string // where runs are written
	rules   string // the sets that judge
	timeout time.Duration
	warm    *forks.Server // programs are forked from it, unless nil
}

// build compiles the vigil of this checkout into dir.
func build(dir string) (string, error) {
	vigil := filepath.Join(dir, "vigil")
	return vigil, testenv.Build(vigil)
}

// runName is the name of a program's run with a seed.
func runName(p Program, seed int) string {
	return strings.ReplaceAll(p.Name(), "/", "-") + "-" + strconv.Itoa(seed)
}

// train lets vigil watch the program and judges what was found live. An
// earlier run of the same name is replaced.
func (b bench) train(p Program, seed int) verdict {
	name := runName(p, seed)
	failed := func(err error) verdict { return verdict{Program: p, Seed: seed, Failed: err.Error()} }
	if err := os.RemoveAll(filepath.Join(b.runs, name)); err != nil {
		return failed(err)
	}
	// Empty, so that neither a vigil.yaml nor a module of the same name as one
	// of Python's is found there.
	dir, err := os.MkdirTemp("", "vigil-accuracy-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	own, err := os.MkdirTemp("", "vigil-accuracy-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(own)
	script, err := p.script(b.suite, own)
	if err != nil {
		return failed(err)
	}
	command := []string{b.python, script}
	if b.warm != nil {
		command = b.warm.Command(script)
	}
	cmd := exec.CommandContext(ctx, b.vigil, append([]string{"run", "--dir", b.runs, "--name", name, "--rules", b.rules, "--quiet", "--"}, command...)...)
	cmd.Dir = dir
	cmd.Env = append(environment(), "SEED="+strconv.Itoa(seed), "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // vigil ends the training
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return failed(fmt.Errorf("not done after %v", b.timeout))
	case err != nil:
		return failed(fmt.Errorf("%w: %s", err, lastLine(out)))
	}
	if err := p.Aim.reached(out); err != nil {
		return failed(err)
	}
	return b.read(p, seed, "findings")
}

// check judges a kept run again, with the rules of the present binary.
func (b bench) check(p Program, seed int) verdict {
	return b.read(p, seed, "check", "--rules", b.rules, "--fail-on", "never")
}

// read asks a command of vigil for the findings of a run, and judges them.
func (b bench) read(p Program, seed int, command ...string) verdict {
	run := filepath.Join(b.runs, runName(p, seed))
	if _, err := os.Stat(run); err != nil {
		return verdict{Program: p, Seed: seed, Failed: fmt.Sprintf("no run %q is kept", filepath.Base(run))}
	}
	d, err := b.diagnosis(run, command...)
	if err != nil {
		return verdict{Program: p, Seed: seed, Failed: err.Error()}
	}
	var shown struct {
		Run record.Run `json:"run"`
	}
	if err := b.ask(&shown, "show", "--json", run); err != nil {
		return verdict{Program: p, Seed: seed, Failed: err.Error()}
	}
	return judge(p, seed, d, shown.Run.Steps)
}

// diagnosis is what a command of vigil says of a run.
func (b bench) diagnosis(run string, command ...string) (d diagnosis, err error) {
	err = b.ask(&d, append(command, "--json", run)...)
	return d, err
}

// ask runs a command of vigil that answers in JSON.
func (b bench) ask(answer any, args ...string) error {
	cmd := exec.Command(b.vigil, args...)
	cmd.Env = environment()
	cmd.Dir = b.runs
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("vigil %s: %w: %s", args[0], err, lastLine(append(out, stderr.Bytes()...)))
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("vigil %s: read its answer: %w", args[0], err)
	}
	return nil
}

// environment is that of the process without what would set up vigil.
func environment() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "VIGIL") {
			env = append(env, e)
		}
	}
	return env
}

// interpreter finds the Python that was asked for; a path is made absolute,
// because programs run in folders of their own.
func interpreter(python string) (string, error) {
	found, err := exec.LookPath(python)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", fmt.Errorf("find Python: %w; -python names one with PyTorch", err)
	}
	return filepath.Abs(found)
}

func lastLine(out []byte) string {
	text := strings.TrimSpace(string(out))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return text
}
