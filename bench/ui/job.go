//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// jobArgument has this program be the training that is watched: job SERIES SECONDS.
const jobArgument = "job"

// job takes ten steps a second, whose values are the number of the step, and says at
// what time it handed each to the hook.
func job(args []string) error {
	if len(args) != 2 {
		return errors.New("job SERIES SECONDS")
	}
	series, err1 := strconv.Atoi(args[0])
	seconds, err2 := strconv.Atoi(args[1])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	h := hook.Start(hook.Options{Model: "none", Optimizer: "SGD", LearningRate: 0.1})
	defer h.Close()
	if h.Err() != nil {
		return h.Err()
	}
	names := make([]string, series)
	for i := range names {
		names[i] = seriesName(i)
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for step := 0; time.Now().Before(end); step++ {
		s := h.Begin(hook.Train)
		fmt.Println(step, time.Now().UnixMicro())
		s.Loss(float64(step))
		for _, name := range names[1:] {
			s.Scalar(name, float64(step))
		}
		s.End()
		<-ticker.C
	}
	return nil
}

// training is a job under `vigil run`.
type training struct {
	cmd  *exec.Cmd
	said *os.File
	path string // of its run
}

// train starts a job below a root and waits until it has taken steps.
func (b *bench) train(ctx context.Context, root string, series int, length time.Duration) (*training, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	said, err := os.Create(filepath.Join(b.dir, filepath.Base(root)+".said"))
	if err != nil {
		return nil, err
	}
	t := &training{exec.CommandContext(ctx, b.binary, "run", "--dir", root, "--name", "run", "--quiet", "--", self, jobArgument, strconv.Itoa(series), strconv.Itoa(int(length.Seconds()))), said, filepath.Join(root, "run")}
	t.cmd.Stdout, t.cmd.Stderr = said, said
	t.cmd.Cancel = func() error { return t.cmd.Process.Signal(syscall.SIGTERM) }
	t.cmd.WaitDelay = 15 * time.Second
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	for {
		run, err := trial.Brief(t.path)
		if err == nil && run.Steps[record.Train.String()] > 20 {
			return t, nil
		}
		if perr := pause(ctx, 100*time.Millisecond); perr != nil || t.cmd.ProcessState != nil {
			t.end()
			text, _ := os.ReadFile(said.Name())
			return nil, fmt.Errorf("the job takes no steps: %w: %.500s", errors.Join(err, perr), text)
		}
	}
}

func (t *training) end() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	_ = t.cmd.Wait()
	t.said.Close()
}

// written are the times at which steps were handed over, in seconds since 1970.
func (t *training) written() ([]float64, error) {
	f, err := os.Open(t.said.Name())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return stepTimes(f)
}

// stepTimes reads lines of a step and its time in microseconds; others are passed over.
func stepTimes(r io.Reader) (times []float64, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		step, at, found := strings.Cut(lines.Text(), " ")
		n, err1 := strconv.Atoi(step)
		us, err2 := strconv.ParseInt(at, 10, 64)
		if found && err1 == nil && err2 == nil && n == len(times) {
			times = append(times, float64(us)/1e6)
		}
	}
	return times, lines.Err()
}

// sighting is when a step was on the screen.
type sighting struct {
	Step int     `json:"step"`
	At   float64 `json:"at"` // seconds since 1970
}

// delays are the times from a step being handed over until it, or a later one, was on
// the screen, of the steps that were handed over after the first sighting.
func delays(written []float64, seen []sighting) (list []float64) {
	if len(seen) == 0 {
		return nil
	}
	slices.SortFunc(seen, func(a, b sighting) int { return int(min(1, max(-1, (a.At-b.At)*1e6))) })
	i := 0
	for step, at := range written {
		if at < seen[0].At {
			continue
		}
		for i < len(seen) && seen[i].Step < step {
			i++
		}
		if i == len(seen) {
			break
		}
		list = append(list, seen[i].At-at)
	}
	return list
}
