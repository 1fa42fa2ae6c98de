package view_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/internal/view"
)

// outlined writes a run of n updates with an evaluation after every hundredth.
func outlined(t *testing.T, n int, value func(name string, i int) float64) *trial.Trial {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := store.Create(vfs.OS, t.TempDir(), "run", record.Run{Format: record.RunFormat, Name: "run", Status: record.Running, Started: time.Unix(1e9, 0).UTC(), Steps: map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{}})
	must(err)
	seq := uint64(0)
	put := func(mode record.Mode, i int, names ...string) {
		s := &record.Step{Worker: "worker_0", Step: int64(seq), Mode: mode, ModeStep: int64(i), Time: time.Unix(1e9+int64(seq), 0)}
		for _, name := range names {
			s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: value(name, i)})
		}
		seq++
		must(w.Append("worker_0", "session", seq, s))
	}
	for i := range n {
		put(record.Train, i, "loss", "top1", "throughput")
		if i%100 == 99 {
			put(record.Eval, i/100, "loss", "val/accuracy")
		}
	}
	must(w.UpdateRun(func(r *record.Run) { r.Status = record.Completed; r.Ended = &r.Started }))
	must(w.Close())
	run, err := trial.Open(w.Path())
	must(err)
	return run
}

// However long a run is, its outline has the last, least and greatest values as they
// are, and short lines.
func TestOutline(t *testing.T) {
	for _, n := range []int{1, 39, 100, 400, 1201, 5003} {
		run := outlined(t, n, func(name string, i int) float64 {
			switch {
			case name == "loss" && i == n/2 && n > 2:
				return 77 // a spike
			case name == "loss" && i == n/3 && n > 3:
				return math.NaN()
			}
			return 1 / float64(i+2)
		})
		o, err := view.OutlineOf(run)
		if err != nil {
			t.Fatal(err)
		}
		loss := o.Values["loss"]
		last := record.Number(1 / float64(n+1))
		if loss.Last != last || loss.LastStep != int64(n-1) || loss.Min != last || loss.Best == nil || *loss.Best != last || n > 2 && (loss.Max != 77 || loss.MaxStep != int64(n/2)) {
			t.Errorf("%d updates: loss %+v", n, loss)
		}
		if top1 := o.Values["top1"]; top1.Best == nil || *top1.Best != 0.5 || top1.LastStep != int64(n-1) {
			t.Errorf("%d updates: top1 %+v", n, top1)
		}
		if o.Values["throughput"].Best != nil {
			t.Errorf("%d updates: the best of what is neither is known", n)
		}
		_, eval := o.Values["loss (EVAL)"]
		if eval != (n >= 100) || len(o.Losses) != map[bool]int{false: 1, true: 2}[eval] {
			t.Errorf("%d updates: values %v, %d lines", n, o.Values, len(o.Losses))
		}
		for _, l := range o.Losses {
			if len(l.Steps) != len(l.Values) || len(l.Steps) > view.OutlinePoints || len(l.Steps) == 0 {
				t.Errorf("%d updates: line of %d, %d points", n, len(l.Steps), len(l.Values))
			}
		}
		for _, test := range []struct {
			name string
			step int64
			want float64 // NaN: none
		}{
			{"top1", 0, 0.5}, {"top1", int64(n) + 5, float64(last)}, {"top1", -1, math.NaN()}, {"nothing", 0, math.NaN()},
			{"loss (EVAL)", 0, map[bool]float64{true: 0.5, false: math.NaN()}[n >= 100]},
			{"val/accuracy", 0, map[bool]float64{true: 0.5, false: math.NaN()}[n >= 100]},
		} {
			at, err := view.ValuesAt(run, []string{test.name}, test.step)
			if got, ok := at[test.name]; err != nil || ok == math.IsNaN(test.want) || ok && float64(got) != test.want {
				t.Errorf("%d updates: %s at %d is %v, %v", n, test.name, test.step, at, err)
			}
		}
	}
}

// Whether less or more is better is known of few names.
func TestBest(t *testing.T) {
	for name, want := range map[string]string{
		"loss": "less", "val_loss": "less", "train/rmse": "less", "validation-mlogloss": "less", "wer": "less",
		"val_acc": "more", "Accuracy": "more", "eval/f1": "more", "test/mAP": "more", "episode_return": "more",
		"lr": "", "throughput": "", "accurately": "", "": "",
	} {
		if got := view.Better(name); got != want {
			t.Errorf("of %q %q is better, want %q", name, got, want)
		}
	}
}

// What nothing was computed in counts as lost.
func TestLostShare(t *testing.T) {
	span := func(parts map[record.StepPart]record.Span) *record.RunTime {
		m := record.ModeTime{Parts: map[string]record.Span{}}
		for p, s := range parts {
			m.Parts[p.String()] = s
			m.Seconds += s
		}
		return &record.RunTime{Modes: map[string]record.ModeTime{"TRAIN": m}}
	}
	for _, test := range []struct {
		time *record.RunTime
		want float64
		ok   bool
	}{
		{nil, 0, false},
		{&record.RunTime{}, 0, false},
		{span(map[record.StepPart]record.Span{record.Forward: 4, record.Backward: 4}), 0, true},
		{span(map[record.StepPart]record.Span{record.Forward: 4, record.WaitForData: 2, record.SaveCheckpoint: 1, record.WaitForRanks: 1}), 0.5, true},
		{span(map[record.StepPart]record.Span{record.Other: 1, record.CopyToDevice: 1}), 0.5, true},
	} {
		if got, ok := view.LostShare(test.time); got != test.want || ok != test.ok {
			t.Errorf("%v: %v, %t", test.time, got, ok)
		}
	}
}

// counted counts how often series of a run are read, and how many of their points.
type counted struct {
	*trial.Trial
	reads, points *int
}

func (c counted) Series(q trial.Query) ([]int64, []float64, error) {
	steps, values, err := c.Trial.Series(q)
	*c.reads++
	*c.points += len(steps)
	return steps, values, err
}

func (c counted) Columns(q trial.Query, columns int) (source.Columns, error) {
	*c.reads++
	return c.Trial.Columns(q, columns)
}

// Of a long series an outline reads the points around its least, greatest and last
// value only.
func TestOutlineOfLongSeries(t *testing.T) {
	run := outlined(t, 5003, func(_ string, i int) float64 { return math.Sin(float64(i) / 1000) })
	reads, points := 0, 0
	o, err := view.OutlineOf(counted{run, &reads, &points})
	loss := o.Values["loss"]
	if err != nil || loss.MaxStep != 1571 || loss.MinStep != 4712 || loss.LastStep != 5002 || loss.Max != record.Number(math.Sin(1.571)) {
		t.Errorf("loss %+v, %v", loss, err)
	}
	if points > 200 {
		t.Errorf("%d points were read", points)
	}
}

// What an outline has no room for is counted and not read.
func TestOutlineOfManySeries(t *testing.T) {
	const kept = 200
	for _, test := range []struct{ train, eval, more int }{{10, 0, 0}, {kept, 0, 0}, {kept + 1, 0, 1}, {kept + 50, 100, 150}, {kept - 1, 1, 0}} {
		w, err := store.Create(vfs.OS, t.TempDir(), "run", record.Run{Format: record.RunFormat, Name: "run", Status: record.Completed, Started: time.Unix(1e9, 0).UTC(), Steps: map[string]int64{}, Dropped: map[string]int64{}})
		if err != nil {
			t.Fatal(err)
		}
		for mode, n := range map[record.Mode]int{record.Train: test.train, record.Eval: test.eval} {
			s := &record.Step{Worker: "worker_0", Step: int64(mode), Mode: mode, Time: time.Unix(1e9, 0)}
			var infos []record.TensorInfo
			for i := range n {
				name := fmt.Sprintf("m%d", i)
				s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: float64(i)})
				infos = append(infos, record.TensorInfo{Name: name, Kind: record.Metric})
			}
			if err := w.Announce("worker_0", infos); err != nil {
				t.Fatal(err)
			}
			if err := w.Append("worker_0", "", 0, s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		run, err := trial.Open(w.Path())
		if err != nil {
			t.Fatal(err)
		}
		reads, points := 0, 0
		o, err := view.OutlineOf(counted{run, &reads, &points})
		if err != nil || len(o.Values) != min(kept, test.train+test.eval) || o.More != test.more {
			t.Errorf("%+v: %d values, %d more, %v", test, len(o.Values), o.More, err)
		}
		if reads > 2*kept {
			t.Errorf("%+v: %d reads of series", test, reads)
		}
	}
}
