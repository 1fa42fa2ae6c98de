package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// A run that is read as chart data, and the columns of a chart.
const (
	metrics = 10
	steps   = 10_000
	wide    = 1000
	layers  = 2000 // series of the run that is listed
)

// write stores steps as the agent does: a step is a part and a decision.
func (b *bench) write(name string, n int, part func(i int) *record.Step) error {
	w, err := store.Create(vfs.OS, b.dir, name, record.Run{Framework: record.Framework{Name: "bench"}, Status: record.Running})
	if err != nil {
		return err
	}
	var list []*record.Step
	for i := range n {
		s := part(i)
		if list = append(list, s); len(list) == 64 || i == n-1 {
			if err := w.Append(s.Worker, "", 0, list...); err != nil {
				return err
			}
			for _, s := range list {
				c := &record.Complete{Step: s.Step, Mode: s.Mode, ModeStep: s.ModeStep, Time: s.Time, Parts: []*record.Step{s}}
				if err := w.Complete(c); err != nil {
					return err
				}
			}
			list = nil
		}
	}
	if err := w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }); err != nil {
		return err
	}
	return w.Close()
}

// noisy makes the steps of a training of 10 ms a step with n float32 losses.
func noisy(n int) func(i int) *record.Step {
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	list := make([]string, n)
	for k := range list {
		list[k] = fmt.Sprintf("metric_%d", k)
	}
	return func(i int) *record.Step {
		seconds := 0.01 * (1 + random.Float64()/20)
		at = at.Add(time.Duration(seconds*1e6) * time.Microsecond)
		s := &record.Step{Worker: "worker_0", Step: int64(i), ModeStep: int64(i), Time: record.Moment(uint64(at.UnixMicro())), Seconds: record.Duration(seconds), Overhead: record.Duration(2e-5 * (1 + random.Float64()))}
		for _, name := range list {
			s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: float64(float32(2 + 0.1*random.NormFloat64()))})
		}
		return s
	}
}

func (b *bench) charts() error {
	if err := b.write("one-loss", 100_000, noisy(1)); err != nil {
		return err
	}
	if err := b.write("run-0", steps, noisy(metrics)); err != nil {
		return err
	}
	if err := b.sizes(); err != nil {
		return err
	}
	paths := []string{filepath.Join(b.dir, "run-0")}
	for i := 1; i < b.runs; i++ {
		to := filepath.Join(b.dir, fmt.Sprint("run-", i))
		if err := os.CopyFS(to, os.DirFS(paths[0])); err != nil {
			return err
		}
		paths = append(paths, to)
	}
	for _, p := range paths {
		if err := forget(p); err != nil {
			return err
		}
	}
	open := make([]*trial.Trial, len(paths))
	cold, err := took(func() error {
		return each(len(paths), func(i int) (err error) {
			if open[i], err = trial.Open(paths[i]); err == nil {
				err = draw(open[i])
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	warm, err := took(func() error { return each(len(paths), func(i int) error { return draw(open[i]) }) })
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%d runs x %d metrics x %d steps as charts of %d columns", b.runs, metrics, steps, wide)
	row(what+", cold", cold.String(), "at most 1000 ms", cold.wall <= time.Second)
	row("the same, warm", warm.String(), "at most 100 ms", warm.wall <= 100*time.Millisecond)
	return b.listed()
}

// sizes says how many bytes a number takes.
func (b *bench) sizes() error {
	for _, r := range []struct {
		name string
		n    int64
		what string
		goal float64
	}{{"run-0", metrics * steps, fmt.Sprintf("%d noisy float32 losses a step", metrics), 3.6}, {"one-loss", 100_000, "one noisy float32 loss a step", 3.6}} {
		path := filepath.Join(b.dir, r.name)
		all, err := sealed(path)
		if err != nil {
			return err
		}
		own, err := columns(path)
		if err != nil {
			return err
		}
		v := float64(own) / float64(r.n)
		row("bytes of a number with its step and time, "+r.what, fmt.Sprintf("%.2f", v), fmt.Sprintf("at most %.1f", r.goal), v <= r.goal)
		row("the same with each step's length and overhead, and which workers were in", fmt.Sprintf("%.2f", float64(all)/float64(r.n)), "", true)
	}
	return nil
}

// draw reads all metrics of a run as charts.
func draw(t *trial.Trial) error {
	for k := range metrics {
		c, err := t.Columns(trial.Query{Tensor: fmt.Sprintf("metric_%d", k)}, wide)
		if err != nil {
			return err
		}
		if c.Points != steps || len(c.Columns) < wide/2 {
			return fmt.Errorf("a chart of %d columns of %d points", len(c.Columns), c.Points)
		}
	}
	return nil
}

// listed writes a run with many series of tensors and lists them.
func (b *bench) listed() error {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	err := b.write("layers", 200, func(i int) *record.Step {
		s := &record.Step{Worker: "worker_0", Step: int64(i), ModeStep: int64(i), Time: at.Add(time.Duration(i) * time.Second), Seconds: 1}
		for k := range layers {
			x := math.Sin(float64(i*k) / 100)
			s.Stats = append(s.Stats, record.TensorStats{Tensor: fmt.Sprintf("layers.%d.attention.weight", k), Stats: tensor.Stats{Count: 4096, Min: -1 + x, Max: 1 + x, Mean: x / 9, M2: 3 + x, L1: 9 + x}})
		}
		return s
	})
	if err != nil {
		return err
	}
	path := filepath.Join(b.dir, "layers")
	if err := forget(path); err != nil {
		return err
	}
	var n int
	list, err := took(func() error {
		t, err := trial.Open(path)
		if err == nil {
			n = len(t.Tensors())
		}
		return err
	})
	if err == nil && n != layers {
		err = fmt.Errorf("%d series of %d are listed", n, layers)
	}
	if err != nil {
		return err
	}
	row(fmt.Sprintf("a run with %d per-layer series (%d rows) listed, cold", layers, 200*layers), list.String(), "at most 100 ms", list.wall <= 100*time.Millisecond)
	return nil
}

// each calls f for all numbers below n, on all cores.
func each(n int, f func(i int) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, n)
	for range runtime.NumCPU() {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
