package view_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
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
