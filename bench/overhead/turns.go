package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/environment"
)

// turn is what one process measured while it was its turn.
type turn struct {
	Walls []float64 `json:"walls"` // seconds of each step
	CPU   float64   `json:"cpu"`   // seconds of the training process, all threads
	Wall  float64   `json:"wall"`  // seconds of all steps
}

// training is one process of a session: it trains when it is its turn and
// waits otherwise.
type training struct {
	condition condition
	cmd       *exec.Cmd
	in        io.WriteCloser
	answers   *bufio.Reader
	out       string // folder for everything it writes
	errors    bytes.Buffer
	agent     int // pid, 0 when there is none
	memory    int64
	turns     []turn
	losses    []float64
	bytes     int64 // below out
	values    int64 // tensors times steps in them
	due       int64 // bytes of those tensors at those steps, of Vigil only
}

// heap has every process keep its memory alike. Left to itself the C library
// gives the largest gradients back to the system and takes them again at every
// step, or not, as chance lays out the heap: two bare processes differ by up to
// 7 %. The hook would end it in its own process (python/vigil/_torch/heap.py);
// limits in the environment it leaves alone.
var heap = []string{"MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456"}

// runName is the name of every run; each has a folder of its own.
const runName = "run"

func (b bench) interpreter(c condition) string {
	if c.env == "" {
		return b.python
	}
	return environment.Interpreter(c.env)
}

// begin starts a training and waits until its warm-up is over.
func (b bench) begin(c condition, workload string, warmup int) (*training, error) {
	out, err := os.MkdirTemp(b.dir, "out-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for %q: %w", c.name, err)
	}
	argv := []string{b.interpreter(c), "bench/overhead/work.py", workload, strconv.Itoa(warmup)}
	switch {
	case c.vigil:
		run := append([]string{b.vigil, "run", "--quiet", "--dir", out, "--name", runName}, c.flags...)
		argv = append(append(run, "--"), argv...)
	case c.peer != "":
		argv = append(argv, c.peer, out)
	}
	t := &training{condition: c, out: out, cmd: exec.Command(argv[0], argv[1:]...)}
	threads := strconv.Itoa(b.threads)
	t.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads)
	t.cmd.Env = append(t.cmd.Env, heap...)
	t.cmd.Env = append(t.cmd.Env, b.device.environment()...)
	t.cmd.Stderr = &t.errors
	t.cmd.WaitDelay = 10 * time.Second // a child of a killed one may hold the pipe
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	answers, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	t.answers = bufio.NewReader(answers)
	if err := t.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	var ready struct{}
	if err := t.read(&ready); err != nil {
		return nil, err
	}
	if c.vigil {
		t.agent = agentOf(t.cmd.Process.Pid)
	}
	return t, nil
}

// train gives the process its turn of n steps.
func (t *training) train(n int) error {
	if _, err := fmt.Fprintln(t.in, n); err != nil {
		return fmt.Errorf("give %q its turn: %w\n%s", t.condition.name, err, &t.errors)
	}
	var r turn
	if err := t.read(&r); err != nil {
		return err
	}
	t.turns = append(t.turns, r)
	t.memory = max(t.memory, anonymous(t.agent))
	return nil
}

// end lets the process end and takes its losses.
func (t *training) end() error {
	if err := t.in.Close(); err != nil {
		return fmt.Errorf("end %q: %w", t.condition.name, err)
	}
	if err := t.read(&t.losses); err != nil {
		return err
	}
	if err := t.cmd.Wait(); err != nil {
		return fmt.Errorf("end %q: %w\n%s", t.condition.name, err, &t.errors)
	}
	return nil
}

func (t *training) read(v any) error {
	line, err := t.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	if err != nil {
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
		return fmt.Errorf("read what %q measured: %w\n%s", t.condition.name, err, &t.errors)
	}
	return nil
}

// session has one process for each condition; they take turns until each has
// had as many as asked for. The order turns too.
func (b bench) session(workload string, w work, turns int) ([]*training, error) {
	var all []*training
	defer func() {
		for _, t := range all {
			if t.cmd.ProcessState == nil {
				_ = t.in.Close() // it ends by itself then
				_ = t.cmd.Wait()
			}
		}
	}()
	for _, c := range b.conditions {
		t, err := b.begin(c, workload, w.of(c).warmup)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	for i := range turns {
		fmt.Fprintf(os.Stderr, "\r\033[K%s: turn %d of %d", workload, i+1, turns)
		for j := range all {
			t := all[(i+j)%len(all)]
			if err := t.train(w.of(t.condition).steps); err != nil {
				return nil, err
			}
		}
	}
	for _, t := range all {
		err := t.end()
		if err == nil {
			err = b.measure(t)
		}
		if err == nil {
			err = os.RemoveAll(t.out)
		}
		if err != nil {
			return nil, err
		}
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	return all, nil
}
