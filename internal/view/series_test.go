package view

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/testenv/written"
	"github.com/vigil-ml/vigil/internal/trial"
)

// theRun is the run of package written.
func theRun(t *testing.T) source.Run {
	t.Helper()
	root := t.TempDir()
	written.Write(t, root, "run")
	r, err := trial.Open(root + "/run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// began is when the run of package written began, in seconds.
var began = seconds(written.Started)

var none = math.NaN()

// Where the points of a series are, by axis: its first and last ones.
func TestAxes(t *testing.T) {
	r := theRun(t)
	for _, tt := range []struct {
		axis     Axis
		series   string
		from, to float64
		points   int64
		first    string // x and value of the first point drawn
		last     string
	}{
		{ByStep, "loss||TRAIN", none, none, 120, "0 2", "119 NaN"},
		{ByStep, "loss||EVAL", none, none, 30, "0 3", "29 1.55"},
		{ByStep, "loss", 10, 20, 10, "10 1", "19 0.6896551724137931"},
		{ByStep, "fc.weight", none, none, 60, "0 0", "118 118"},
		{ByStep, "fc.weight|max", 50, none, 35, "50 50", "118 118"},
		{ByStep, "loss", 500, none, 0, "", ""},
		{ByUpdate, "loss||TRAIN", none, none, 120, "0 2", "119 NaN"},
		{ByUpdate, "loss||EVAL", none, none, 3, "39 2.775", "119 1.775"},
		{ByUpdate, "loss||EVAL", 40, 119, 1, "79 2.275", "79 2.275"},
		{ByTime, "loss||TRAIN", none, none, 120, fmt.Sprint(began+1, " 2"), fmt.Sprint(began+14.9, " NaN")},
		{ByAge, "loss||TRAIN", none, none, 120, "1 2", "14.9 NaN"},
		{ByAge, "loss||EVAL", none, none, 3, "5.9 2.775", "15.9 1.775"},
		{ByAge, "loss||TRAIN", 5.5, 7, 10, "6 0.4", "6.9 0.3389830508474576"},
		{ByAge, "loss||TRAIN", 100, 200, 0, "", ""},
		{ByEpoch, "loss||TRAIN", none, none, 120, "0 2", "2.975 NaN"},
		{ByEpoch, "loss||EVAL", none, none, 3, "1 2.775", "3 1.775"},
		{ByEpoch, "loss||TRAIN", 1, 1.5, 20, "1 0.4", "1.475 0.2898550724637681"},
	} {
		parts := append(strings.Split(tt.series, "|"), "", "")
		l := Lines(r, []Ask{{Tensor: parts[0], Stat: parts[1], Mode: parts[2]}}, Frame{Axis: tt.axis, From: tt.from, To: tt.to, Columns: 100})[0]
		if l.Err != nil || !l.Raw || l.Points != tt.points {
			t.Errorf("%s %s from %g to %g: %d points, raw %t, error %v, want %d", tt.axis, tt.series, tt.from, tt.to, l.Points, l.Raw, l.Err, tt.points)
			continue
		}
		first, last := "", ""
		if n := len(l.X); n > 0 {
			first, last = point(l.X[0], l.Mean[0]), point(l.X[n-1], l.Mean[n-1])
		}
		if first != tt.first || last != tt.last {
			t.Errorf("%s %s from %g to %g: from %q to %q, want %q to %q", tt.axis, tt.series, tt.from, tt.to, first, last, tt.first, tt.last)
		}
	}
}

// point spells a place and a value; places are right to a microsecond.
func point(x, y float64) string { return fmt.Sprint(math.Round(x*1e6)/1e6, " ", y) }

// A long series is drawn in columns, in which spikes and odd values stay.
func TestColumns(t *testing.T) {
	r := theRun(t)
	l := Lines(r, []Ask{{Tensor: "loss", Mode: "TRAIN"}}, Frame{Axis: ByStep, From: none, To: none, Columns: 16})[0]
	if l.Err != nil || l.Raw || l.Points != 120 || len(l.X) != 15 {
		t.Fatalf("%d points in %d columns, raw %t, %v", l.Points, len(l.X), l.Raw, l.Err)
	}
	for i := range l.X {
		odd := int64(0)
		low, high := math.NaN(), math.NaN()
		for s := int64(l.X[i]); s <= int64(l.XLast[i]); s++ {
			v := written.Loss(s)
			if math.IsNaN(v) {
				odd = 1
				continue
			}
			if math.IsNaN(high) {
				high = v
			}
			low = v
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(l.Min[i], low) || !same(l.Max[i], high) || l.Odd[i] != odd || !same(l.LastValue[i], written.Loss(int64(l.XLast[i]))) {
			t.Errorf("column %d, steps %g to %g: %g to %g, odd %d; want %g to %g, %d", i, l.X[i], l.XLast[i], l.Min[i], l.Max[i], l.Odd[i], low, high, odd)
		}
	}
}

// What a chart says of a series that is not there.
func TestNoSuchLine(t *testing.T) {
	r := theRun(t)
	for _, tt := range []struct {
		ask  Ask
		axis Axis
		want string
	}{
		{Ask{Tensor: "lost"}, ByStep, `there are no stored values of "lost"`},
		{Ask{Tensor: "loss", Stat: "std"}, ByStep, `the run has no std of "loss"`},
		{Ask{Tensor: "loss", Mode: "SOMETIMES"}, ByStep, `"SOMETIMES" is none of TRAIN`},
	} {
		l := Lines(r, []Ask{tt.ask}, Frame{Axis: tt.axis, From: none, To: none, Columns: 16})[0]
		if l.Err == nil || !strings.Contains(l.Err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.ask, l.Err, tt.want)
		}
	}
}
