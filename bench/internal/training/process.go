// Package training drives the benchmarks' training script in a process of its own, which trains when it is its turn and waits otherwise.
package training

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Script is what trains; it says how it is called. From the root of the repository.
const Script = "bench/internal/training/work.py"

// Heap has every process keep its memory alike. Left to itself the C library
// gives the largest gradients back to the system and takes them again at every
// step, or not, as chance lays out the heap: two bare processes differ by up to
// 7 %. The hook would end it in its own process (python/vigil/_torch/malloc_settings.py);
// limits in the environment it leaves alone.
var Heap = []string{"MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456"}

// Turn is what a process measured while it was its turn.
type Turn struct {
	Walls []float64 `json:"walls"` // seconds of each step
	CPU   float64   `json:"cpu"`   // seconds of the training process, all threads
	Wall  float64   `json:"wall"`  // seconds of all steps
}

// Process is one training.
type Process struct {
	Name   string
	Turns  []Turn
	Losses []float64 // of every step, once it has ended
	Agent  int       // pid of the agent that watches it at the start, 0 when there is none

	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
	errors  bytes.Buffer
}

// Start starts a training, with env added to the environment, and waits until
// its warm-up is over. Its name is for errors.
func Start(name string, argv, env []string) (*Process, error) {
	p := &Process{Name: name, cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Env = append(append(os.Environ(), Heap...), env...)
	p.cmd.Stderr = &p.errors
	p.cmd.WaitDelay = 10 * time.Second // a child of a killed one may hold the pipe
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	answers, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	p.answers = bufio.NewReader(answers)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	var ready struct{}
	if err := p.read(&ready); err != nil {
		return nil, err
	}
	p.Agent = Agent(p.cmd.Process.Pid)
	return p, nil
}

// Train gives the process its turn of n steps.
func (p *Process) Train(n int) error {
	return p.turn(strconv.Itoa(n))
}

// TrainAll is Train, and the first steps count, too, which otherwise find cold caches and are left out.
func (p *Process) TrainAll(n int) error {
	return p.turn(strconv.Itoa(n) + " all")
}

func (p *Process) turn(asked string) error {
	if _, err := fmt.Fprintln(p.in, asked); err != nil {
		return fmt.Errorf("give %q its turn: %w\n%s", p.Name, err, &p.errors)
	}
	var t Turn
	if err := p.read(&t); err != nil {
		return err
	}
	p.Turns = append(p.Turns, t)
	return nil
}

// End lets the process end and takes its losses.
func (p *Process) End() error {
	if err := p.in.Close(); err != nil {
		return fmt.Errorf("end %q: %w", p.Name, err)
	}
	if err := p.read(&p.Losses); err != nil {
		return err
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("end %q: %w\n%s", p.Name, err, &p.errors)
	}
	return nil
}

// Abandon ends the process where it has not ended.
func (p *Process) Abandon() {
	if p.cmd.ProcessState == nil {
		_ = p.in.Close() // it ends by itself then
		_ = p.cmd.Wait()
	}
}

// PID of the process that was started: under vigil run that of the launcher.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Said is what the process has written to standard error, once it has ended.
func (p *Process) Said() string { return p.errors.String() }

func (p *Process) read(v any) error {
	line, err := p.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	if err != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		return fmt.Errorf("read what %q measured: %w\n%s", p.Name, err, &p.errors)
	}
	return nil
}

// Quantile is the order statistic next to the share q.
func Quantile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[int(q*float64(len(s)-1)+0.5)]
}
