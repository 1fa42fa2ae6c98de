package view_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/internal/view"
)

// batch is a step of an evaluation: its loss, and of how many samples that is; none
// where that is not known, below 0 where it is their sum.
type batch struct{ loss, samples float64 }

// evaluated writes a run: a number of updates, and the batches of an evaluation, in turn.
func evaluated(t *testing.T, status string, parts ...any) source.Run {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := store.Create(vfs.OS, t.TempDir(), "run", record.Run{Format: record.RunFormat, Name: "run", Status: record.Running, Started: time.Unix(1e9, 0).UTC(), Steps: map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{}})
	must(err)
	must(w.Announce("worker_0", []record.TensorInfo{{Name: "loss", Kind: record.Loss}, {Name: "accuracy", Kind: record.Metric}, {Name: record.SamplesMean, Kind: record.Samples}, {Name: record.SamplesSum, Kind: record.Samples}}))
	seq, steps := uint64(0), map[record.Mode]int64{}
	put := func(mode record.Mode, scalars ...record.Scalar) {
		s := &record.Step{Worker: "worker_0", Step: int64(seq), Mode: mode, ModeStep: steps[mode], Time: time.Unix(1e9+int64(seq), 0), Scalars: scalars}
		seq++
		steps[mode]++
		must(w.Append("worker_0", "session", seq, s))
	}
	for _, part := range parts {
		switch p := part.(type) {
		case int:
			for range p {
				put(record.Train, record.Scalar{Name: "loss", Value: 5})
			}
		case []batch:
			for _, b := range p {
				scalars := []record.Scalar{{Name: "loss", Value: b.loss}, {Name: "accuracy", Value: b.loss / 10}}
				switch {
				case b.samples > 0:
					scalars = append(scalars, record.Scalar{Name: record.SamplesMean, Value: b.samples})
				case b.samples < 0:
					scalars = append(scalars, record.Scalar{Name: record.SamplesSum, Value: -b.samples})
				}
				put(record.Eval, scalars...)
			}
		}
	}
	if status != record.Running {
		must(w.UpdateRun(func(r *record.Run) { r.Status, r.Ended = status, &r.Started }))
	}
	must(w.Close())
	run, err := trial.Open(w.Path())
	must(err)
	t.Cleanup(func() { run.Close() })
	return as{run, status}
}

// as is a run of a status: nobody writes one that goes on.
type as struct {
	*trial.Trial
	status string
}

func (a as) Run() record.Run {
	run := a.Trial.Run()
	run.Status = a.status
	return run
}

// The value of an evaluation is the mean over its samples, whoever shows it, and only
// evaluations that are over count.
func TestPasses(t *testing.T) {
	nan := math.NaN()
	for name, test := range map[string]struct {
		status           string
		parts            []any
		updates          []int64   // the places of the passes that are drawn
		values           []float64 // and their values
		best, last       float64
		accuracy         float64 // the best one
		lastStep, bestAt int64
	}{
		"the last batch is smaller": {
			record.Completed, []any{2, []batch{{1, 4}, {2, 4}, {9, 1}}, 2, []batch{{3, 4}, {0.1, 4}, {3, 1}}}, []int64{1, 3},
			[]float64{21.0 / 9, 15.4 / 9}, 15.4 / 9, 15.4 / 9, 21.0 / 90, 5, 5,
		},
		"a batch that is better than any pass": {
			record.Completed, []any{1, []batch{{2, 8}, {2, 8}}, 1, []batch{{0.1, 8}, {9.9, 8}}}, []int64{0, 1},
			[]float64{2, 5}, 2, 5, 0.5, 3, 1,
		},
		"sums": {
			record.Completed, []any{2, []batch{{4, -4}, {8, -4}, {9, -1}}, 2, []batch{{4, -4}, {4, -4}, {0, -1}}}, []int64{1, 3},
			[]float64{21.0 / 9, 8.0 / 9}, 8.0 / 9, 8.0 / 9, 0.1 * (4*4 + 8*4 + 9) / 9, 5, 5,
		},
		"samples not known": {
			record.Completed, []any{2, []batch{{1, 0}, {2, 0}, {9, 0}}, 2, []batch{{1, 4}, {3, 4}, {3, 0}}}, []int64{1, 3},
			[]float64{4, 7.0 / 3}, 7.0 / 3, 7.0 / 3, 0.4, 5, 5,
		},
		"before training, and after its first update": {
			record.Completed, []any{[]batch{{9, 2}, {7, 2}}, 1, []batch{{4, 2}, {2, 2}}, 1, []batch{{1, 2}}}, []int64{-1, 0, 1},
			[]float64{8, 3, 1}, 1, 1, 0.8, 4, 4,
		},
		"before training": {
			record.Completed, []any{[]batch{{9, 2}, {7, 2}}, 5, []batch{{4, 2}, {2, 2}}}, []int64{0, 4},
			[]float64{8, 3}, 3, 3, 0.8, 3, 3,
		},
		"only at the end": {record.Completed, []any{3, []batch{{4, 3}, {2, 1}}}, []int64{2}, []float64{3.5}, 3.5, 3.5, 0.35, 1, 1},
		"one is under way": {
			record.Running, []any{1, []batch{{4, 2}, {6, 2}}, 1, []batch{{1, 2}, {1, 2}}}, []int64{0},
			[]float64{5}, 5, 5, 0.5, 1, 1,
		},
		"training goes on": {
			record.Running, []any{1, []batch{{4, 2}, {6, 2}}, 1, []batch{{1, 2}, {1, 2}}, 1}, []int64{0, 1},
			[]float64{5, 1}, 1, 1, 0.5, 3, 3,
		},
		"the first one is under way": {record.Running, []any{1, []batch{{4, 2}, {6, 2}}}, []int64{0}, []float64{5}, nan, 5, nan, 1, 0},
		"one was cut off": {
			record.Stopped, []any{1, []batch{{4, 2}, {6, 2}}, 1, []batch{{1, 2}}}, []int64{0},
			[]float64{5}, 5, 5, 0.5, 1, 1,
		},
		"the job failed after one": {
			record.Failed, []any{1, []batch{{4, 2}, {6, 2}}, 1, []batch{{1, 2}, {3, 2}}}, []int64{0, 1},
			[]float64{5, 2}, 2, 2, 0.5, 3, 3,
		},
		"a value that is not finite": {
			record.Completed, []any{1, []batch{{4, 2}, {nan, 2}}, 1, []batch{{1, 2}, {3, 2}}}, []int64{0, 1},
			[]float64{nan, 2}, 2, 2, 0.2, 3, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := evaluated(t, test.status, test.parts...)
			same := func(a, b float64) bool {
				return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Abs(b)
			}
			alike := func(a, b []float64) bool { return slices.EqualFunc(a, b, same) }

			o, err := view.OutlineOf(run)
			if err != nil {
				t.Fatal(err)
			}
			loss := o.Values["loss (EVAL)"]
			if !same(float64(*loss.Best), test.best) || !same(float64(loss.Last), test.last) || loss.LastStep != test.lastStep || loss.MinStep != test.bestAt || !same(float64(loss.Min), test.best) {
				t.Errorf("listed as %+v, best %v; want best %v at %d, last %v at %d", loss, *loss.Best, test.best, test.bestAt, test.last, test.lastStep)
			}
			if best := o.Values["accuracy"].Best; !same(float64(*best), test.accuracy) {
				t.Errorf("best accuracy %v, want %v", *best, test.accuracy)
			}
			if line := o.Losses[len(o.Losses)-1]; len(line.Values) != len(test.values) || !same(float64(line.Last), test.last) || !same(float64(line.Min), test.best) {
				t.Errorf("line %+v", line)
			}

			at, err := view.ValuesAt(run, []string{"loss (EVAL)"}, 1000)
			if err != nil || !same(float64(at["loss (EVAL)"]), test.last) {
				t.Errorf("at the end: %v, %v, want %v", at, err, test.last)
			}

			both, err := view.Compare([]source.Run{run, run}, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range both.Series {
				if s.Name == "loss" && s.Mode == record.Eval {
					c := s.Of[1]
					if !same(float64(c.Min), test.best) || !same(float64(c.Last), test.last) || c.At != test.lastStep || c.Points != len(test.values) {
						t.Errorf("compared as %+v", c)
					}
				}
			}

			curves, err := view.Curves(run, view.Size{Points: 100, Curves: 10})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(curves, func(c view.Curve) bool { return c.Name == "loss (EVAL)" })
			if !slices.Equal(curves[i].Steps, test.updates) || !alike(curves[i].Values, test.values) {
				t.Errorf("curve %v %v, want %v %v", curves[i].Steps, curves[i].Values, test.updates, test.values)
			}

			for _, axis := range []view.Axis{view.ByUpdate, view.ByTime, view.ByAge} {
				l := view.Lines(run, []view.Ask{{Tensor: "loss", Mode: "EVAL"}}, view.Frame{Axis: axis, From: nan, To: nan, Columns: 100})[0]
				if l.Err != nil || !alike(l.Mean, test.values) {
					t.Errorf("by %s: %v, %v, want %v", axis, l.Mean, l.Err, test.values)
				}
				if axis == view.ByUpdate && fmt.Sprint(l.X) != fmt.Sprint(test.updates) {
					t.Errorf("by update at %v, want %v", l.X, test.updates)
				}
			}
			steps := view.Lines(run, []view.Ask{{Tensor: "loss", Mode: "EVAL"}}, view.Frame{Axis: view.ByStep, From: nan, To: nan, Columns: 100})[0]
			batches := 0
			for _, p := range test.parts {
				if list, ok := p.([]batch); ok {
					batches += len(list)
				}
			}
			if int(steps.Points) != batches {
				t.Errorf("by step %d points, want the %d batches", steps.Points, batches)
			}
		})
	}
}
