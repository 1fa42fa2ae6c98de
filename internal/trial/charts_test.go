package trial_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// drawnAlike compares charts; means of levels have 20 significant bits.
var drawnAlike = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateNaNs(), cmp.Comparer(func(a, b record.Stretch) bool {
	apart := math.Abs(a.Mean - b.Mean)
	if apart <= 1e-5*max(math.Abs(a.Min), math.Abs(a.Max)) {
		b.Mean = a.Mean
	}
	return cmp.Equal(a, b, cmpopts.EquateNaNs())
})}

// naive makes a chart of the points of a whole series, one after the other.
func naive(steps []int64, values []float64, from, to int64, columns int) (c source.Columns) {
	if len(steps) == 0 {
		return c
	}
	c.Begin, c.End = steps[0], steps[len(steps)-1]
	width := int64(1)
	for (to-from+width-1)/width > int64(columns) {
		width *= 2
	}
	of := func(step int64) int64 { return int64(math.Floor(float64(step) / float64(width))) }
	for i, step := range steps {
		if of(step) < of(from) || of(step) > of(to-1) {
			continue
		}
		c.Points++
		v := values[i]
		c.Steps, c.Values = append(c.Steps, step), append(c.Values, v)
		if n := len(c.Columns); n == 0 || of(c.Columns[n-1].From) != of(step) {
			c.Columns = append(c.Columns, record.Stretch{From: step, First: v, Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()})
		}
		k := &c.Columns[len(c.Columns)-1]
		k.To, k.Last, k.Count = step, v, k.Count+1
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if k.Finite++; k.Finite == 1 {
			k.Min, k.Max, k.Mean = v, v, v
		}
		k.Min, k.Max, k.Mean = math.Min(k.Min, v), math.Max(k.Max, v), k.Mean+(v-k.Mean)/float64(k.Finite)
	}
	if c.Points <= int64(2*columns) { // the points themselves are those asked for
		c.Columns, c.Points, c.Steps, c.Values = nil, 0, nil, nil
		for i, step := range steps {
			if step >= from && step < to {
				c.Steps, c.Values, c.Points = append(c.Steps, step), append(c.Values, values[i]), c.Points+1
			}
		}
	} else {
		c.Width, c.Steps, c.Values = width, nil, nil
	}
	return c
}

// drawn is a run whose charts are compared with what is stored.
type drawn struct {
	disk   *vfs.Crash
	w      *store.Writer
	random *rand.Rand
	step   int64 // global
	mode   [2]int64
	every  int64 // mode steps
	at     time.Time
	stats  bool
}

// put stores n steps, each with a loss, a statistic and where its time went; some
// are evaluations, some numbers are not finite, some lie far from the others.
func (d *drawn) put(t failing, n int) {
	var list []*record.Step
	var times []record.StepTime
	for range n {
		mode := record.Train
		if d.random.IntN(20) == 0 {
			mode = record.Eval
		}
		value := math.Sin(float64(d.step)/300) + d.random.NormFloat64()/10
		switch d.random.IntN(500) {
		case 0:
			value = 1e6 * d.random.NormFloat64()
		case 1:
			value = math.NaN()
		case 2:
			value = math.Inf(1)
		}
		s := &record.Step{Worker: "w", Step: d.step, Mode: mode, ModeStep: d.mode[mode], Time: d.at, Seconds: d.random.Float64(), Overhead: d.random.Float64()}
		s.Scalars = []record.Scalar{{Name: "loss", Value: value}}
		if mode == record.Train && d.stats {
			s.Stats = []record.TensorStats{{Tensor: "weight", Stats: tensor.Stats{Count: 9, NaN: int64(d.random.IntN(300) / 299), Min: -1, Max: math.Abs(d.random.NormFloat64()), Mean: value / 9, M2: 4, L1: 8}}}
		}
		list = append(list, s)
		row := record.StepTime{Worker: "w", Step: d.step, Mode: mode, ModeStep: d.mode[mode], Steps: 1, Start: d.at, Gap: d.random.Int64N(1000)}
		for p := range row.Parts {
			row.Parts[p] = 1000 + d.random.Int64N(1e6)
		}
		d.at = d.at.Add(time.Duration(row.Total()))
		row.End, row.Longest, row.LongestStep = d.at, row.Total()-row.Gap, row.ModeStep
		times = append(times, row)
		d.step++
		d.mode[mode] += d.every
	}
	ok(t, d.w.Append("w", "", 0, list...))
	ok(t, d.w.Times("w", "", 0, times, nil))
}

// measure stores n samples of the machine.
func (d *drawn) measure(t failing, n int) {
	at := d.at
	for i := range n {
		s := record.Sample{Host: "h", Time: at, Values: []record.Scalar{{Name: "cpu/total", Value: 100 * d.random.Float64()}, {Name: "net/sent_per_s", Value: 1e9 * d.random.Float64()}}}
		if i%7 == 3 {
			s.Values = s.Values[1:]
		}
		ok(t, d.w.Samples(s))
		at = at.Add(time.Duration(50+d.random.IntN(100)) * time.Millisecond)
	}
}

func (d *drawn) resume(t failing) {
	ok(t, d.w.Close())
	var err error
	d.w, err = store.Resume(d.disk, "/root/run")
	ok(t, err)
}

// Whatever is drawn of a run, it is what is in its rows: no spike is lost, no
// gap, no step that came again or was taken back is in it, and no damaged level.
func TestChartsAreWhatIsStored(t *testing.T) {
	testenv.Unraced(t)
	rapid.Check(t, func(t *rapid.T) {
		d := &drawn{disk: vfs.NewCrash(1), random: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "values"), 2)), at: start, every: rapid.SampledFrom([]int64{1, 1, 3, 500}).Draw(t, "every"), stats: rapid.Bool().Draw(t, "statistics")}
		var err error
		d.w, err = store.Create(d.disk, "/root", "run", record.Run{Status: record.Running})
		ok(t, err)
		live, err := trial.OpenFS(d.disk, "/root/run")
		ok(t, err)
		defer live.Close()
		for range rapid.IntRange(1, 5).Draw(t, "stretches") {
			d.put(t, rapid.IntRange(1, 5000).Draw(t, "steps"))
			if rapid.Bool().Draw(t, "machine") {
				d.measure(t, rapid.IntRange(1, 3000).Draw(t, "samples"))
			}
			if rapid.Bool().Draw(t, "look") {
				compareCharts(t, live)
			}
			switch rapid.SampledFrom([]string{"seal", "seal", "go on", "go back", "go back", "come again", "skip"}).Draw(t, "then") {
			case "seal":
				ok(t, d.w.Seal())
			case "go back": // and take back
				d.resume(t)
				share := rapid.Float64Range(0, 1).Draw(t, "to")
				to := record.Place{Step: int64(share * float64(d.step)), Modes: map[string]int64{}}
				for m := range d.mode {
					d.mode[m] = int64(share * float64(d.mode[m]))
					to.Modes[record.Mode(m).String()] = d.mode[m]
				}
				d.step = to.Step
				ok(t, d.w.Rewind(to))
			case "come again": // and store steps a second time
				ok(t, d.w.Seal())
				share := rapid.Float64Range(0.5, 1).Draw(t, "to")
				for m := range d.mode {
					d.mode[m] = int64(share * float64(d.mode[m]))
				}
				d.step = int64(share * float64(d.step))
			case "skip":
				d.at = d.at.Add(time.Hour)
				for m := range d.mode {
					d.mode[m] += 100_000
				}
			}
		}
		if rapid.Bool().Draw(t, "close") {
			ok(t, d.w.Close())
		}
		compareCharts(t, live)
		cold, err := trial.OpenFS(d.disk, "/root/run")
		ok(t, err)
		compareCharts(t, cold)
		if list := cold.Damage(); len(list) > 0 {
			t.Fatalf("damage: %v", list)
		}
		var levels []string
		for _, name := range files(t, d.disk, "/root/run") {
			if strings.Contains(name, ".levels-") {
				levels = append(levels, name)
			}
		}
		if len(levels) == 0 {
			return
		}
		hurt := rapid.SampledFrom(levels).Draw(t, "damaged")
		b := readFile(t, d.disk, hurt)
		b[rapid.IntRange(0, len(b)-1).Draw(t, "byte")] ^= 4
		writeFile(t, d.disk, hurt, b)
		again, err := trial.OpenFS(d.disk, "/root/run")
		ok(t, err)
		compareCharts(t, again)
		rel := strings.TrimPrefix(filepath.ToSlash(hurt), "/root/run/")
		list, err := again.Verify(context.Background(), nil)
		ok(t, err)
		if !slices.ContainsFunc(list, func(d trial.Damage) bool { return d.File == rel }) {
			t.Fatalf("%s is damaged; this was noticed: %v", rel, list)
		}
	})
}

// compareCharts compares some charts of each series with its rows.
func compareCharts(t *rapid.T, tr *trial.Trial) {
	var modes []record.Mode
	for m := range record.Global + 1 {
		if len(tr.Steps(m)) > 0 {
			modes = append(modes, m)
		}
	}
	if got := tr.Modes(); !slices.Equal(got, modes) {
		t.Fatalf("modes %v, want %v", got, modes)
	}
	bounds := func(steps []int64) (from, to int64, whole bool) {
		if len(steps) == 0 || rapid.Bool().Draw(t, "whole") {
			return 0, 0, true
		}
		begin, end := steps[0], steps[len(steps)-1]
		span := end - begin + 1
		from = begin + rapid.Int64Range(0, span).Draw(t, "from")
		to = from + 1 + int64(float64(span)*math.Pow(rapid.Float64Range(0, 1.1).Draw(t, "length"), 4))
		return from, to, false
	}
	compare := func(what string, steps []int64, values []float64, columns int, from, to int64, whole bool, got source.Columns, err error) {
		t.Helper()
		ok(t, err)
		if whole && len(steps) > 0 {
			from, to = steps[0], steps[len(steps)-1]+1
		}
		want := naive(steps, values, from, to, columns)
		if d := cmp.Diff(want, got, drawnAlike); d != "" {
			t.Fatalf("%s from %d to %d in %d columns: %.3000s", what, from, to, columns, d)
		}
	}
	compareClocks(t, tr)
	series := []trial.Query{{Tensor: "loss"}, {Tensor: "loss", Mode: record.Eval}, {Tensor: record.TimeSeries}, {Tensor: "time/data"}}
	if slices.Contains(tr.StatNames("weight"), "l2") {
		series = append(series, trial.Query{Tensor: "weight", Stat: "max"}, trial.Query{Tensor: "weight", Stat: "l2"})
	}
	for range 2 {
		q := rapid.SampledFrom(series).Draw(t, "series")
		steps, values, err := tr.Series(q)
		ok(t, err)
		for range 2 {
			columns := rapid.IntRange(4, 300).Draw(t, "columns")
			var whole bool
			q.From, q.To, whole = bounds(steps)
			got, err := tr.Columns(q, columns)
			compare(fmt.Sprint(q), steps, values, columns, q.From, q.To, whole, got, err)
		}
	}
	byTime := func(q source.TimeQuery, at []int64, values []float64) {
		columns := rapid.IntRange(4, 300).Draw(t, "columns")
		from, to, whole := bounds(at)
		if !whole {
			q.From, q.To = time.UnixMicro(from), time.UnixMicro(to)
		}
		got, err := tr.ColumnsByTime(q, columns)
		compare(fmt.Sprint(q), at, values, columns, from, to, whole, got, err)
	}
	var at []int64
	var values []float64
	ok(t, tr.Times("w", time.Time{}, time.Time{}, func(r *record.StepTime) error {
		if r.Mode == record.Train {
			at, values = append(at, r.Start.UnixMicro()), append(values, r.Seconds(record.Forward))
		}
		return nil
	}))
	byTime(source.TimeQuery{Series: "time/forward"}, at, values)
	together := func(mean bool) {
		sums, counts := map[int64]float64{}, map[int64]int{}
		for _, name := range []string{"cpu/total", "net/sent_per_s"} {
			times, values, err := tr.Metric("h", name, time.Time{}, time.Time{})
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			ok(t, err)
			for i := range times {
				sums[times[i].UnixMicro()] += values[i]
				counts[times[i].UnixMicro()]++
			}
		}
		at := slices.Sorted(maps.Keys(sums))
		values := make([]float64, len(at))
		for i := range at {
			values[i] = sums[at[i]]
			if mean {
				values[i] /= float64(counts[at[i]])
			}
		}
		byTime(source.TimeQuery{Series: "all", Of: "h", Together: []string{"cpu/total", "gone", "net/sent_per_s"}, Mean: mean}, at, values)
	}
	together(false)
	together(true)
	for _, name := range tr.MetricNames("h") {
		times, values, err := tr.Metric("h", name, time.Time{}, time.Time{})
		ok(t, err)
		at := make([]int64, len(times))
		for i := range times {
			at[i] = times[i].UnixMicro()
		}
		byTime(source.TimeQuery{Series: name}, at, values)
	}
}

// A long series is drawn without its rows, and a part of it without most of them.
func TestLongSeriesAreDrawnFromLevels(t *testing.T) {
	testenv.Unraced(t)
	d := &drawn{disk: vfs.NewCrash(1), random: rand.New(rand.NewPCG(1, 2)), at: start, every: 1, stats: true}
	d.w = create(t, d.disk, "/root")
	for range 3 {
		d.put(t, 30_000)
		ok(t, d.w.Seal())
	}
	d.measure(t, 40_000)
	ok(t, d.w.Close())
	rows, levels := int64(0), int64(0)
	for _, name := range files(t, d.disk, "/root/run") {
		if !strings.HasSuffix(name, ".parquet") {
			continue
		}
		b := readFile(t, d.disk, name)
		if strings.Contains(name, ".levels-") {
			levels += int64(len(b))
			continue
		}
		rows += int64(len(b))
		if base := filepath.Base(name); !strings.HasPrefix(base, "steps-") && !strings.HasPrefix(base, "metrics-") {
			writeFile(t, d.disk, name, append(b, 0)) // noticed as soon as it is opened
		}
	}
	if levels == 0 || levels*33 > rows {
		t.Errorf("levels of %d bytes beside rows of %d", levels, rows)
	}
	tr := open(t, d.disk, "/root/run")
	look := func(what string, c source.Columns, err error) {
		t.Helper()
		ok(t, err)
		if c.Points < 15_000 || len(c.Columns) < 12 || len(c.Columns) > 26 {
			t.Errorf("%v: %d columns of %d points", what, len(c.Columns), c.Points)
		}
	}
	for _, q := range []trial.Query{{Tensor: "loss"}, {Tensor: "weight", Stat: "std"}} {
		c, err := tr.Columns(q, 25)
		look(q.Tensor, c, err)
	}
	for _, series := range []string{"time/step", "cpu/total"} {
		c, err := tr.ColumnsByTime(source.TimeQuery{Series: series}, 25)
		look(series, c, err)
	}
	if list := tr.Damage(); len(list) > 0 {
		t.Errorf("these were read: %v", list)
	}
}

// A chart that is moved shows the same columns.
func TestMovedChartsShowTheSameColumns(t *testing.T) {
	d := &drawn{disk: vfs.NewCrash(1), random: rand.New(rand.NewPCG(1, 2)), at: start, every: 1, stats: true}
	d.w = create(t, d.disk, "/root")
	d.put(t, 20_000)
	ok(t, d.w.Seal())
	tr := open(t, d.disk, "/root/run")
	seen := map[int64]record.Stretch{}
	for from := int64(1000); from < 9000; from += 37 {
		c, err := tr.Columns(trial.Query{Tensor: "loss", From: from, To: from + 5000}, 100)
		ok(t, err)
		if c.Width != 64 {
			t.Fatalf("columns of %d steps from step %d on", c.Width, from)
		}
		for _, k := range c.Columns {
			if before, there := seen[k.From/c.Width]; there && !cmp.Equal(before, k, cmpopts.EquateNaNs()) {
				t.Fatalf("a column that was %+v is %+v", before, k)
			}
			seen[k.From/c.Width] = k
		}
	}
}

// A series that is not there has no chart; one without a point in the range has
// an empty one.
func TestChartsOfNothing(t *testing.T) {
	d := &drawn{disk: vfs.NewCrash(1), random: rand.New(rand.NewPCG(1, 2)), at: start, every: 1, stats: true}
	d.w = create(t, d.disk, "/root")
	d.put(t, 10)
	tr := open(t, d.disk, "/root/run")
	for _, q := range []trial.Query{{Tensor: "none"}, {Tensor: "loss", Stat: "mean"}} {
		if _, err := tr.Columns(q, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", q, err)
		}
	}
	for _, q := range []source.TimeQuery{{Series: "cpu/total"}, {Series: "cpu/total", Of: "h"}, {Series: "none"}} {
		if _, err := tr.ColumnsByTime(q, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", q, err)
		}
	}
	for _, q := range []trial.Query{{Tensor: "loss", From: 100}, {Tensor: "loss", Mode: record.Predict}, {Tensor: "loss", Worker: "other"}} {
		if c, err := tr.Columns(q, 10); err != nil || c.Points != 0 {
			t.Errorf("%v: %+v, %v", q, c, err)
		}
	}
}

// Levels go with the machine metrics that they are of.
func TestKeepTakesLevelsWithMetrics(t *testing.T) {
	d := &drawn{disk: vfs.NewCrash(1), random: rand.New(rand.NewPCG(1, 2)), at: start, every: 1}
	d.w = create(t, d.disk, "/root")
	d.measure(t, 40_000)
	ok(t, d.w.Seal())
	system := func() (list []string) {
		for _, name := range files(t, d.disk, "/root/run/system") {
			if strings.HasSuffix(name, ".parquet") {
				list = append(list, filepath.Base(name))
			}
		}
		return list
	}
	live := open(t, d.disk, "/root/run")
	chart := func() int64 {
		c, err := live.ColumnsByTime(source.TimeQuery{Series: "cpu/total", Of: "h"}, 30)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return c.Points
	}
	if list := system(); !slices.Equal(list, []string{"metrics-000001.parquet", "metrics.levels-000001.parquet"}) || chart() < 30_000 {
		t.Fatalf("%d points, in %q", chart(), list)
	}
	_, err := d.w.Keep(store.Limit{Bytes: 1}, start)
	ok(t, err)
	if list := system(); len(list) > 0 || chart() != 0 {
		t.Errorf("%d points are left, in %q", chart(), list)
	}
	whole(t, live)
	whole(t, open(t, d.disk, "/root/run"))
}

// However a sealing dies, no levels are left behind that nobody names, and charts
// show what is stored.
func TestSealAndDie(t *testing.T) {
	testenv.Unraced(t)
	d := &drawn{disk: vfs.NewCrash(1), random: rand.New(rand.NewPCG(1, 2)), at: start, every: 1}
	d.w = create(t, d.disk, "/root")
	d.put(t, 3000)
	ok(t, d.w.Sync())
	steps, values, err := open(t, d.disk, "/root/run").Series(trial.Query{Tensor: "loss"})
	ok(t, err)
	want := naive(steps, values, 0, steps[len(steps)-1]+1, 50)
	ops := 0
	_, err = store.Resume(vfs.WithFaults(d.disk.KillClone(), func(vfs.Op) error { ops++; return nil }), "/root/run")
	ok(t, err)
	first := ops + 1
	for op := first; ; op++ {
		disk := d.disk.KillClone()
		ops, dead := 0, false
		w, err := store.Resume(vfs.WithFaults(disk, func(vfs.Op) error {
			if ops++; ops >= op {
				dead = true
				return errDead
			}
			return nil
		}), "/root/run")
		if err == nil {
			err = w.Seal()
		}
		if err != nil && !dead {
			t.Fatalf("operation %d: %v", op, err)
		}
		check := func(fsys vfs.FS) {
			t.Helper()
			c, err := open(t, fsys, "/root/run").Columns(trial.Query{Tensor: "loss"}, 50)
			ok(t, err)
			if d := cmp.Diff(want, c, drawnAlike); d != "" {
				t.Fatalf("operation %d: %s", op, d)
			}
		}
		for power, after := range []*vfs.Crash{disk.KillClone(), disk.CrashClone()} {
			check(after)
			w, err := store.Resume(after, "/root/run")
			ok(t, err)
			for _, name := range files(t, after, "/root/run") {
				journal := filepath.Join(filepath.Dir(name), "journal-000001.log")
				if _, err := after.Stat(journal); err == nil && strings.HasSuffix(name, ".parquet") {
					t.Fatalf("operation %d: %s is left beside its journal", op, name)
				}
			}
			ok(t, w.Close())
			check(after)
			if power == 0 { // the last line of the manifest was not synced
				whole(t, open(t, after, "/root/run"))
			}
		}
		if !dead {
			if op < first+20 {
				t.Errorf("the writer did only %d operations", op-first)
			}
			return
		}
	}
}
