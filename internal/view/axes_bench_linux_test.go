package view

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// longRun stores 10 million updates with a loss, and 100 batches of evaluation
// after each 10,000; with the times of steps, or without.
func longRun(b *testing.B, dir string, timed bool) string {
	const n = 10_000_000
	w, err := store.Create(vfs.OS, dir, "run", record.Run{Status: record.Running, Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)})
	ok(b, err)
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	var steps []*record.Step
	var times []record.StepTime
	global, evals := int64(0), int64(0)
	add := func(mode record.Mode, step int64, name string, value float64) {
		start := at
		at = at.Add(10*time.Millisecond + time.Duration(random.IntN(1e6)))
		steps = append(steps, &record.Step{Worker: "worker_0", Step: global, Mode: mode, ModeStep: step, Time: at, Seconds: record.Duration(0.01), Overhead: record.Duration(2e-5), Scalars: []record.Scalar{{Name: name, Value: value}}})
		if timed {
			ns := at.Sub(start).Nanoseconds()
			row := record.StepTime{Worker: "worker_0", Step: global, Mode: mode, ModeStep: step, Steps: 1, Start: start, End: at, Gap: ns / 10, Longest: ns, LongestStep: step}
			row.Parts[record.WaitForData] = ns / 4
			row.Parts[record.Forward] = ns - ns/4
			times = append(times, row)
		}
		if global++; len(steps) >= 1000 {
			ok(b, w.Append("worker_0", "", 0, steps...))
			if timed {
				ok(b, w.Times("worker_0", "", 0, times, nil))
			}
			steps, times = steps[:0], times[:0]
		}
	}
	for i := range int64(n) {
		add(record.Train, i, "loss", float64(float32(2+0.1*random.NormFloat64()+math.Sin(float64(i)/1e6))))
		if i%10_000 == 9999 {
			for range 100 {
				add(record.Eval, evals, "val", random.Float64())
				evals++
			}
		}
	}
	ok(b, w.Append("worker_0", "", 0, steps...))
	if timed {
		ok(b, w.Times("worker_0", "", 0, times, nil))
	}
	ok(b, w.Close())
	return w.Path()
}

// BenchmarkAxes draws a series of 10 million points along each axis: all of it with
// nothing in memory, again, a hundredth of it elsewhere each time, moved on by a tenth
// of its width, and a tenth of it.
func BenchmarkAxes(b *testing.B) {
	for name, timed := range map[string]bool{"steps": false, "times": true} {
		b.Run(name, func(b *testing.B) {
			path := longRun(b, b.TempDir(), timed)
			if timed {
				b.Run("lengths of steps", func(b *testing.B) { benchSteps(b, path) })
			}
			for _, ask := range []Ask{{Tensor: "loss", Mode: "TRAIN"}, {Tensor: "val", Mode: "EVAL"}} {
				for _, axis := range []Axis{ByStep, ByUpdate, ByTime, ByAge} {
					b.Run(fmt.Sprintf("%s by %s", ask.Tensor, axis), func(b *testing.B) { benchAxis(b, path, ask, axis) })
				}
			}
		})
	}
}

func benchAxis(b *testing.B, path string, ask Ask, axis Axis) {
	none := math.NaN()
	draw := func(t source.Run, from, to float64) Line {
		l := Lines(t, []Ask{ask}, Frame{Axis: axis, From: from, To: to, Columns: 1600})[0]
		ok(b, l.Err)
		if len(l.X) == 0 {
			b.Fatal("nothing is drawn")
		}
		return l
	}
	t := opened(b, path)
	whole := draw(t, none, none)
	wide := (whole.Last - whole.First) / 100
	random := rand.New(rand.NewPCG(1, 2))
	at := whole.First
	measured(b, "whole, new", func() { draw(opened(b, path), none, none) })
	measured(b, "whole, again", func() { draw(t, none, none) })
	measured(b, "a hundredth", func() {
		from := whole.First + random.Float64()*99*wide
		draw(t, from, from+wide)
	})
	measured(b, "moved", func() {
		if at += wide / 10; at+wide > whole.Last {
			at = whole.First
		}
		draw(t, at, at+wide)
	})
	measured(b, "a tenth", func() {
		from := whole.First + random.Float64()*90*wide
		draw(t, from, from+10*wide)
	})
}

// benchSteps draws how long the steps took.
func benchSteps(b *testing.B, path string) {
	draw := func(t source.Run, from, to int64) {
		s, err := StepSeriesOf(t, "", record.Train, from, to, 800)
		ok(b, err)
		if len(s.X) < 100 {
			b.Fatalf("%d columns", len(s.X))
		}
	}
	t := opened(b, path)
	draw(t, 0, 0)
	random := rand.New(rand.NewPCG(1, 2))
	measured(b, "whole, new", func() { draw(opened(b, path), 0, 0) })
	measured(b, "whole, again", func() { draw(t, 0, 0) })
	measured(b, "a hundredth", func() {
		from := random.Int64N(9_900_000)
		draw(t, from, from+100_000)
	})
}

func opened(b *testing.B, path string) source.Run {
	b.Helper()
	t, err := trial.Open(path)
	ok(b, err)
	return t
}

// measured measures the time that it takes of the processors.
func measured(b *testing.B, name string, draw func()) {
	b.Run(name, func(b *testing.B) {
		before := processorTime()
		for b.Loop() {
			draw()
		}
		b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
}

// processorTime is what this process took of the processors.
func processorTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ok(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
