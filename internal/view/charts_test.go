package view_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

// plain is a source that draws nothing itself.
type plain struct {
	anyRun
	source.Metrics
}

type anyRun = source.Run

// A source without charts is drawn as one that has them.
func TestColumnsOfAnySource(t *testing.T) {
	w := timed.Write(t, t.TempDir(), "run", timed.Options{Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 120})
	run, err := trial.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	compare := func(draw func(t source.Run) (source.Columns, error), raw bool) {
		t.Helper()
		want, err := draw(run)
		if err != nil || want.Points == 0 || raw != (want.Width == 0) {
			t.Fatalf("%d points, width %d, %v", want.Points, want.Width, err)
		}
		got, err := draw(plain{run, run})
		if d := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("%v: %s", err, d)
		}
	}
	for _, q := range []source.Query{{Tensor: "time/step"}, {Tensor: "time/data", From: 100, To: 900}, {Tensor: "cpu/total", Mode: record.Global}} {
		compare(func(t source.Run) (source.Columns, error) { return view.Columns(t, q, 20) }, false)
		compare(func(t source.Run) (source.Columns, error) { return view.Columns(t, q, 2000) }, true)
	}
	from := run.Run().Started.Add(20 * time.Second)
	for _, q := range []source.TimeQuery{{Series: "time/data"}, {Series: "cpu/total", Of: timed.Host}, {Series: "cpu/total", From: from, To: from.Add(time.Minute)}} {
		compare(func(t source.Run) (source.Columns, error) { return view.ColumnsByTime(t, q, 20) }, false)
	}
	for _, t2 := range []source.Run{run, plain{run, run}} {
		if _, err := view.Columns(t2, source.Query{Tensor: "none"}, 20); err == nil {
			t.Error("a series that is not there has a chart")
		}
		if _, err := view.ColumnsByTime(t2, source.TimeQuery{Series: "none"}, 20); err == nil {
			t.Error("a metric that is not there has a chart")
		}
	}
}

// Along each axis a source that tells few steps' times is drawn as one that reads
// them all: points at the same places, columns with the same values at places within
// their width.
func TestAxesOfAnySource(t *testing.T) {
	w := timed.Write(t, t.TempDir(), "run", timed.Options{Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 600})
	run, err := trial.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	none := math.NaN()
	for _, axis := range []view.Axis{view.ByStep, view.ByUpdate, view.ByTime, view.ByAge} {
		for _, ask := range []view.Ask{{Tensor: "time/step", Mode: "TRAIN"}, {Tensor: "time/step", Mode: "EVAL"}} {
			for _, columns := range []int{16, 20_000} {
				draw := func(t source.Run, from, to float64) view.Line {
					return view.Lines(t, []view.Ask{ask}, view.Frame{Axis: axis, From: from, To: to, Columns: columns})[0]
				}
				whole := draw(plain{run, run}, none, none)
				if whole.Err != nil || whole.Points == 0 {
					t.Fatalf("%v by %s: %d points, %v", ask, axis, whole.Points, whole.Err)
				}
				span := whole.Last - whole.First
				for _, bounds := range [][2]float64{{none, none}, {whole.First + span/3, none}, {whole.First + span/2, whole.First + span*2/3}, {whole.Last + 1, none}} {
					want, got := draw(plain{run, run}, bounds[0], bounds[1]), draw(run, bounds[0], bounds[1])
					alike := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}
					if !want.Raw {
						alike = append(alike, cmpopts.EquateApprox(1e-12, 0)) // means are summed up in another order
					}
					for i := range want.XLast {
						wide := 2 * (want.XLast[i] - want.X[i])
						if i < len(got.XLast) && math.Abs(want.X[i]-got.X[i]) <= wide && math.Abs(want.XLast[i]-got.XLast[i]) <= wide {
							got.X[i], got.XLast[i] = want.X[i], want.XLast[i]
						}
					}
					if d := cmp.Diff(want, got, alike); d != "" {
						t.Errorf("%v by %s from %v in %d columns: %.1500s", ask, axis, bounds, columns, d)
					}
				}
			}
		}
	}
}

// A part of many evaluations is drawn as closely as a part of any series.
func TestPartOfEvaluations(t *testing.T) {
	run := sampledRun(t, nil, func(w *store.Writer) {
		var list []*record.Step
		for i := range int64(400) {
			list = append(list, &record.Step{Worker: "worker_0", Step: 2 * i, ModeStep: i},
				&record.Step{Worker: "worker_0", Step: 2*i + 1, Mode: record.Eval, ModeStep: i, Scalars: []record.Scalar{{Name: "accuracy", Value: float64(i)}}})
		}
		if err := w.Append("worker_0", "session", 1, list...); err != nil {
			t.Fatal(err)
		}
	})
	none := math.NaN()
	for _, tt := range []struct {
		from, to    float64
		raw         bool
		first, last float64 // value drawn
	}{{none, none, false, 15.5, 391.5}, {100, 120, true, 100, 119}, {390, none, true, 390, 399}, {none, 10, true, 0, 9}, {100, 180, false, 99.5, 179.5}} {
		l := view.Lines(run, []view.Ask{{Tensor: "accuracy", Mode: "EVAL"}}, view.Frame{Axis: view.ByUpdate, From: tt.from, To: tt.to, Columns: 16})[0]
		if l.Err != nil || len(l.Mean) == 0 {
			t.Fatalf("from %v: %+v", tt.from, l)
		}
		if n := len(l.Mean); l.Raw != tt.raw || l.Mean[0] != tt.first || l.Mean[n-1] != tt.last || l.First != 0 || l.Last != 399 {
			t.Errorf("from %v to %v: raw %v, %v to %v", tt.from, tt.to, l.Raw, l.Mean[0], l.Mean[n-1])
		}
	}
	if l := view.Lines(run, []view.Ask{{Tensor: "accuracy", Mode: "EVAL"}}, view.Frame{Axis: view.ByUpdate, From: 1000, To: none, Columns: 16})[0]; l.Err != nil || l.Points != 0 || l.Last != 399 {
		t.Errorf("beyond the end: %+v", l)
	}
}
