package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/vigil-ml/vigil/bench/internal/environment"
	"github.com/vigil-ml/vigil/bench/internal/training"
)

// run is one process of a session.
type run struct {
	*training.Process
	condition condition
	out       string // folder for everything it writes
	memory    int64
	bytes     int64 // below out
	values    int64 // tensors times steps in them
	due       int64 // bytes of those tensors at those steps, of Vigil only
}

// runName is the name of every run; each has a folder of its own.
const runName = "run"

func (b bench) interpreter(c condition) string {
	if c.env == "" {
		return b.python
	}
	return environment.Interpreter(c.env)
}

// begin starts a training and waits until its warm-up is over.
func (b bench) begin(c condition, workload string, warmup int) (*run, error) {
	out, err := os.MkdirTemp(b.dir, "out-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for %q: %w", c.name, err)
	}
	argv := []string{b.interpreter(c), training.Script, workload, strconv.Itoa(warmup)}
	switch {
	case c.vigil:
		program := b.vigil
		if c.other {
			program = b.otherVigil()
		}
		run := append([]string{program, "run", "--quiet", "--dir", out, "--name", runName}, c.flags...)
		argv = append(append(run, "--"), argv...)
	case c.peer != "":
		argv = append(argv, c.peer, out)
	}
	threads := strconv.Itoa(b.threads)
	p, err := training.Start(c.name, argv, []string{"OMP_NUM_THREADS=" + threads, "MKL_NUM_THREADS=" + threads})
	return &run{Process: p, condition: c, out: out}, err
}

// train gives the process its turn of n steps.
func (t *run) train(n int) error {
	err := t.Train(n)
	t.memory = max(t.memory, training.Memory(t.Agent))
	return err
}

// session has one process for each condition; they take turns until each has
// had as many as asked for. The order turns too.
func (b bench) session(workload string, w work, turns int) ([]*run, error) {
	var all []*run
	defer func() {
		for _, t := range all {
			t.Abandon()
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
		err := t.End()
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
