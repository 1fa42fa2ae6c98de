package trial_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// machine is a sample of a host with n series; every third sample lacks one.
func machine(host string, i int) record.Sample {
	rng := rand.New(rand.NewPCG(uint64(i), 7))
	s := record.Sample{Host: host, Time: start.Add(time.Duration(i) * 500 * time.Millisecond)}
	for k := range 4 {
		if k == 2 && i%3 == 0 {
			continue
		}
		s.Values = append(s.Values, record.Scalar{Name: fmt.Sprintf("cpu/%d", k), Value: 100 * rng.Float64()})
	}
	s.Values = append(s.Values, record.Scalar{Name: "memory/used_bytes", Value: 3e9 + 1e6*float64(i)})
	return s.Rounded()
}

// took is a row of step times, exact to the nanosecond.
func took(worker string, i int64) record.StepTime {
	t := record.StepTime{Worker: worker, Step: i, ModeStep: i, Steps: 1, Start: start.Add(time.Duration(i) * 10_000_001), Gap: 17,
		Longest: 10_000_001 - 17, LongestStep: i}
	for p := range t.Parts {
		t.Parts[p] = int64(p) + 1
	}
	t.Parts[record.Forward] += 10_000_001 - t.Total()
	t.End = t.Start.Add(time.Duration(t.Total()))
	return t
}

func samplesOf(t testing.TB, tr *trial.Trial, host string, from, to time.Time) (list []record.Sample) {
	t.Helper()
	ok(t, tr.Samples(host, from, to, func(s *record.Sample) error {
		c := *s
		c.Values = append([]record.Scalar(nil), s.Values...)
		list = append(list, c)
		return nil
	}))
	return list
}

func timesOf(t testing.TB, tr *trial.Trial, worker string) (list []record.StepTime) {
	t.Helper()
	ok(t, tr.Times(worker, time.Time{}, time.Time{}, func(s *record.StepTime) error { list = append(list, *s); return nil }))
	return list
}

// What two hosts and two workers stored is read back the same from a journal that
// is written, from sealed tables and from both.
func TestTimeIsReadBack(t *testing.T) {
	disk := vfs.NewCrash(1)
	w := create(t, disk, "/root")
	tr := open(t, disk, "/root/run")
	var want []record.Sample
	var times []record.StepTime
	event := record.Event{Worker: "w0", Kind: record.CheckpointEvent, Name: "model.pt", Start: start, End: start.Add(time.Second), Step: 3, Facts: []byte(`{"bytes":5}`)}
	none := time.Time{}
	for i := range 40 {
		ok(t, w.Samples(machine("a", i), machine("b/c", i)))
		want = append(want, machine("a", i))
		row := took("w0", int64(i))
		times = append(times, row)
		ok(t, w.Times("w0", "s", uint64(i)+1, []record.StepTime{row}, nil))
		ok(t, w.Times("w0", "s", uint64(i)+1, []record.StepTime{row}, nil)) // a restarted agent: left out
		switch i {
		case 5:
			ok(t, w.Times("w1", "s1", 1, []record.StepTime{took("w1", 0)}, []record.Event{{Kind: record.LoaderEvent, Start: start.Add(-time.Second), End: start}}))
			ok(t, w.Times("w0", "", 0, nil, []record.Event{event}))
		case 13, 30:
			ok(t, w.Seal())
		}
		if i%7 > 0 && i < 39 {
			continue
		}
		if diff := cmp.Diff(want, samplesOf(t, tr, "a", none, none), equal); diff != "" {
			t.Fatalf("after %d samples: %s", i+1, diff)
		}
		if got := samplesOf(t, tr, "b/c", none, none); len(got) != i+1 || got[0].Host != "b/c" {
			t.Fatalf("%d samples of the second host", len(got))
		}
		if diff := cmp.Diff(times, timesOf(t, tr, "w0")); diff != "" {
			t.Fatalf("after %d steps: %s", i+1, diff)
		}
	}
	if got := tr.Hosts(); !cmp.Equal(got, []string{"a", "b/c"}) {
		t.Errorf("hosts %q", got)
	}
	if got := tr.MetricNames("a"); !cmp.Equal(got, []string{"cpu/0", "cpu/1", "cpu/2", "cpu/3", "memory/used_bytes"}) {
		t.Errorf("series %q", got)
	}
	at, values, err := tr.Metric("a", "cpu/2", want[6].Time, want[35].Time)
	ok(t, err)
	var wantAt []time.Time
	var wantValues []float64
	for _, s := range want[6:35] {
		if len(s.Values) == 5 {
			wantAt, wantValues = append(wantAt, s.Time), append(wantValues, s.Values[2].Value)
		}
	}
	if !cmp.Equal(at, wantAt) || !cmp.Equal(values, wantValues) {
		t.Errorf("a series with holes: %v, %v", at, values)
	}
	if _, _, err := tr.Metric("a", "gpu/0/utilization", none, none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a series that is not there: %v", err)
	}
	if got := samplesOf(t, tr, "a", want[13].Time, want[31].Time); !cmp.Equal(got, want[13:31], equal) {
		t.Errorf("a span: %d samples", len(got))
	}
	for _, n := range []int64{0, 1, 13, 14, 20, 39, 40, 100} {
		next := n
		ok(t, tr.SamplesFrom("a", n, func(i int64, s *record.Sample) error {
			if i != next || !s.Time.Equal(want[i].Time) {
				t.Errorf("from %d on: sample %d at %s", n, i, s.Time)
			}
			next++
			return nil
		}))
		if next != max(n, 40) {
			t.Errorf("from %d on: ended before %d", n, next)
		}
		next = n
		ok(t, tr.TimesFrom("w0", n, func(i int64, row *record.StepTime) error {
			if i != next || !cmp.Equal(*row, times[i]) {
				t.Errorf("from %d on: row %d is %+v", n, i, row)
			}
			next++
			return nil
		}))
		if next != max(n, 40) {
			t.Errorf("from %d on: step times ended before %d", n, next)
		}
	}
	events, err := tr.Events(none, none)
	ok(t, err)
	if len(events) != 2 || events[0].Worker != "w1" || !cmp.Equal(events[1], event) {
		t.Errorf("events %+v", events)
	}
	if events, _ = tr.Events(start.Add(time.Millisecond), none); len(events) != 1 {
		t.Errorf("events of a span %+v", events)
	}
	from, to, there := tr.SpanOf("w0", record.Train, 10, 20)
	if !there || !from.Equal(times[10].Start) || !to.Equal(times[20].End) {
		t.Errorf("steps 10 to 20 took from %s to %s", from, to)
	}
	if _, _, there := tr.SpanOf("w0", record.Eval, 0, 9); there {
		t.Error("a mode without steps took time")
	}
	ok(t, w.Close())
	whole(t, tr)
	if diff := cmp.Diff(want, samplesOf(t, open(t, disk, "/root/run"), "", none, none), equal); diff != "" {
		t.Error(diff)
	}
}

// The next writer goes on where the one before was killed: with the names it
// knows, behind the last instant even when the clock was set back, and without
// storing anything twice.
func TestTimeGoesOnAfterAKill(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		disk := vfs.NewCrash(2)
		w := create(t, disk, "/root")
		ok(t, w.Samples(machine("a", 0), machine("a", 100)))
		ok(t, w.Times("w0", "s", 7, []record.StepTime{took("w0", 0)}, nil))
		if sealed {
			ok(t, w.Seal())
		}
		killed := disk.KillClone()
		w, err := store.Resume(killed, "/root/run")
		ok(t, err)
		if n := w.LastTimes("s"); n != 7 {
			t.Errorf("step times up to %d are known", n)
		}
		if at := w.LastSample("a"); !at.Equal(machine("a", 100).Time) {
			t.Errorf("the last sample was at %s", at)
		}
		ok(t, w.Times("w0", "s", 7, []record.StepTime{took("w0", 0)}, nil))
		ok(t, w.Times("w0", "s", 8, []record.StepTime{took("w0", 1)}, nil))
		ok(t, w.Samples(machine("a", 50), machine("a", 51)))
		ok(t, w.Close())
		tr := open(t, killed, "/root/run")
		whole(t, tr)
		got := samplesOf(t, tr, "a", time.Time{}, time.Time{})
		if len(got) != 4 || !cmp.Equal(got[2].Values, machine("a", 50).Values) {
			t.Fatalf("samples %+v", got)
		}
		if d := got[2].Time.Sub(got[1].Time); d != time.Microsecond {
			t.Errorf("the sample after the clock was set back is %s behind the one before", d)
		}
		if d := got[3].Time.Sub(got[2].Time); d != 500*time.Millisecond {
			t.Errorf("the one after that %s", d)
		}
		events, err := tr.Events(time.Time{}, time.Time{})
		ok(t, err)
		if len(events) != 1 || events[0].Kind != record.ClockEvent || string(events[0].Facts) != `{"seconds":-25.000001}` {
			t.Errorf("events %+v", events)
		}
		if list := timesOf(t, tr, ""); len(list) != 2 {
			t.Errorf("step times %+v", list)
		}
	}
}

// Detail of single steps stays within its bound, the oldest goes first, and what
// is left is whole.
func TestTraces(t *testing.T) {
	disk := vfs.NewCrash(3)
	w := create(t, disk, "/root")
	w.TraceLimit(16000)
	detail := func(i int) (list []record.Interval) {
		at := start.Add(time.Duration(i) * time.Second)
		for k := range 200 {
			end := at.Add(time.Duration(rand.IntN(1e6)))
			list = append(list, record.Interval{Part: record.StepPart(k % int(record.StepParts)), Start: at, End: end, Step: int64(i), MicroBatch: k % 3})
			at = end
		}
		return list
	}
	for i := range 8 {
		ok(t, w.Trace([]string{"w0", "w/1"}[i%2], detail(i)))
	}
	tr := open(t, disk, "/root/run")
	files := tr.Traces("")
	if len(files) < 2 || len(files) > 6 || files[len(files)-1].Worker != "w0" {
		t.Errorf("files of detail: %+v", files)
	}
	ok(t, w.Trace("w0", detail(9)))
	before := tr.Traces("")
	lost := disk.CrashClone()
	w, err := store.Resume(lost, "/root/run")
	ok(t, err)
	w.TraceLimit(16000)
	ok(t, w.Trace("w0", detail(10)))
	ok(t, w.Close())
	tr = open(t, lost, "/root/run")
	if damage, err := tr.Verify(context.Background(), nil); err != nil || len(damage) > 0 {
		t.Errorf("damaged: %v, %v", damage, err)
	}
	after := tr.Traces("w0")
	if last := after[len(after)-1]; cmp.Equal(last, before[len(before)-1]) {
		t.Error("a file of detail was written over")
	}
	b, err := tr.Trace(after[0])
	ok(t, err)
	if len(b) == 0 || b[0] != '{' {
		t.Errorf("detail %.80q", b)
	}
}

// A figure of a percentage is kept to a hundredth of a point, one of bytes to a
// part in 8,192, and rounding again changes nothing.
func TestMetricsAreRounded(t *testing.T) {
	for _, v := range []float64{0, 1, 37.53, 99.99, 100, 12345678901, 0.004, 1e-9, -3.3, 812, 1e300, math.Pi * 1e6} {
		r := record.RoundMetric(v)
		if d := math.Abs(r - v); d > 0.005 && d > v/8192 {
			t.Errorf("%v is kept as %v", v, r)
		}
		if again := record.RoundMetric(r); again != r {
			t.Errorf("%v, rounded to %v, is %v when rounded again", v, r, again)
		}
	}
	s := record.Sample{Time: start.Add(1234), Values: []record.Scalar{{Name: "a", Value: math.NaN()}, {Name: "b", Value: 1}}}.Rounded()
	if diff := cmp.Diff(record.Sample{Time: start.Add(1000), Values: []record.Scalar{{Name: "b", Value: 1}}}, s, cmpopts.EquateApproxTime(0)); diff != "" {
		t.Error(diff)
	}
}

// Machine metrics go when no raw tensors are left that may, the oldest first; the
// numbers of those that stay do not change, and nothing is taken for damaged.
func TestKeepTakesMetricsLast(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	var sizes [3]int64
	for i := range 30 {
		ok(t, w.Samples(machine("a", i)))
		if i%10 == 9 {
			ok(t, w.Seal())
			name := filepath.Join(w.Path(), "system", "a", fmt.Sprintf("metrics-%06d.parquet", i/10+1))
			info, err := os.Stat(name)
			ok(t, err)
			sizes[i/10] = info.Size()
			at := start.Add(time.Duration(i) * time.Minute)
			ok(t, os.Chtimes(name, at, at))
		}
	}
	save(t, w, "w", 1, map[string]tensor.View{"a": bytesView(pattern(1000, 1))})
	raw := w.RawBytes()
	live := open(t, vfs.OS, w.Path())
	if got := samplesOf(t, live, "a", time.Time{}, time.Time{}); len(got) != 30 {
		t.Fatalf("%d samples", len(got))
	}
	for _, c := range []struct {
		limit store.Limit
		gone  int64
		raw   bool
		first int64 // sample that is left
	}{
		{store.Limit{Bytes: raw + sizes[0] + sizes[1] + sizes[2]}, 0, true, 0},
		{store.Limit{Bytes: raw - 1 + sizes[0] + sizes[1] + sizes[2]}, raw, false, 0},
		{store.Limit{Bytes: sizes[1] + sizes[2]}, sizes[0], false, 10},
		{store.Limit{Age: time.Hour}, sizes[1], false, 20},
	} {
		n, err := w.Keep(c.limit, start.Add(89*time.Minute))
		ok(t, err)
		if n != c.gone || (w.RawBytes() > 0) != c.raw {
			t.Errorf("%+v: %d bytes went instead of %d, %d raw ones are left", c.limit, n, c.gone, w.RawBytes())
		}
		for _, tr := range []*trial.Trial{live, open(t, vfs.OS, w.Path())} {
			first := int64(-1)
			ok(t, tr.SamplesFrom("a", 0, func(i int64, s *record.Sample) error {
				if first < 0 {
					first = i
				}
				if !s.Time.Equal(machine("a", int(i)).Time) {
					t.Errorf("%+v: sample %d is at %s", c.limit, i, s.Time)
				}
				return nil
			}))
			if first != c.first {
				t.Errorf("%+v: sample %d is the first one left, want %d", c.limit, first, c.first)
			}
			whole(t, tr)
		}
	}
	ok(t, w.Close())
	again, err := store.Resume(vfs.OS, w.Path())
	ok(t, err)
	ok(t, again.Close())
	whole(t, open(t, vfs.OS, w.Path()))
}
