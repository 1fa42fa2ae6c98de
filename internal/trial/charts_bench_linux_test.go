package trial_test

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// BenchmarkTenMillionPoints draws a series of 10 million points in 1,600 columns:
// all of it with nothing in memory, a hundredth of it, and that moved on by a
// tenth of its width each time.
func BenchmarkTenMillionPoints(b *testing.B) {
	const n, columns = 10_000_000, 1600
	w, err := store.Create(vfs.OS, b.TempDir(), "run", record.Run{Status: record.Running})
	ok(b, err)
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	list := make([]*record.Step, 0, 1000)
	for i := range int64(n) {
		at = at.Add(10 * time.Millisecond)
		list = append(list, &record.Step{Worker: "worker_0", Step: i, ModeStep: i, Time: at, Seconds: record.Duration(0.01), Overhead: record.Duration(2e-5),
			Scalars: []record.Scalar{{Name: "loss", Value: float64(float32(2 + 0.1*random.NormFloat64() + math.Sin(float64(i)/1e6)))}}})
		if len(list) == cap(list) {
			ok(b, w.Append("worker_0", "", 0, list...))
			list = list[:0]
		}
	}
	ok(b, w.Close())
	var rows, levels int64
	ok(b, filepath.WalkDir(w.Path(), func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".parquet" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if ok, _ := filepath.Match("*.levels-*", d.Name()); ok {
			levels += info.Size()
		} else {
			rows += info.Size()
		}
		return nil
	}))
	b.Logf("%d bytes of tables, %d of levels: %.2f %%", rows, levels, 100*float64(levels)/float64(rows))
	draw := func(b *testing.B, tr *trial.Trial, q trial.Query) {
		q.Tensor = "loss"
		c, err := tr.Columns(q, columns)
		ok(b, err)
		if len(c.Columns) < columns/2 {
			b.Fatalf("%d columns", len(c.Columns))
		}
	}
	const wide = n / 100
	zoom := func(b *testing.B, share float64, tr *trial.Trial) {
		from := int64(share * (n - wide))
		draw(b, tr, trial.Query{From: from, To: from + wide})
	}
	open := func() *trial.Trial {
		tr, err := trial.Open(w.Path())
		ok(b, err)
		return tr
	}
	timed(b, "whole, cold", func() *trial.Trial { dropped(b, w.Path()); return nil }, func(b *testing.B, _ *trial.Trial) { draw(b, open(), trial.Query{}) })
	timed(b, "whole, new", func() *trial.Trial { return nil }, func(b *testing.B, _ *trial.Trial) { draw(b, open(), trial.Query{}) })
	timed(b, "zoom, cold", func() *trial.Trial { dropped(b, w.Path()); return nil }, func(b *testing.B, _ *trial.Trial) { zoom(b, random.Float64(), open()) })
	tr := open()
	same := func() *trial.Trial { return tr }
	draw(b, tr, trial.Query{})
	timed(b, "whole, again", same, func(b *testing.B, tr *trial.Trial) { draw(b, tr, trial.Query{}) })
	timed(b, "zoom", same, func(b *testing.B, tr *trial.Trial) { zoom(b, random.Float64(), tr) })
	moved := 0.0
	timed(b, "pan", same, func(b *testing.B, tr *trial.Trial) { moved += wide / 10; zoom(b, math.Mod(moved/n, 1), tr) })
	timed(b, "a tenth, elsewhere each time", same, func(b *testing.B, tr *trial.Trial) {
		from := random.Int64N(9 * n / 10)
		draw(b, tr, trial.Query{From: from, To: from + n/10})
	})
	timed(b, "a fiftieth, elsewhere each time", same, func(b *testing.B, tr *trial.Trial) { // the most rows
		from := random.Int64N(49 * n / 50)
		draw(b, tr, trial.Query{From: from, To: from + n/50})
	})
}

// BenchmarkTwoDaysOfAMachine draws a machine metric of two days, sampled every
// 500 ms among 100 others: with nothing in memory, again, and an hour of it.
func BenchmarkTwoDaysOfAMachine(b *testing.B) {
	const n, columns = 2 * 86_400 * 2, 1600
	w, err := store.Create(vfs.OS, b.TempDir(), "run", record.Run{Status: record.Running})
	ok(b, err)
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]record.Sample, 0, 120)
	for i := range n {
		s := record.Sample{Host: "h", Time: start.Add(time.Duration(i) * 500 * time.Millisecond)}
		for k := range 100 {
			s.Values = append(s.Values, record.Scalar{Name: fmt.Sprintf("cpu/%d", k), Value: 100 * random.Float64()})
		}
		if list = append(list, s); len(list) == cap(list) {
			ok(b, w.Samples(list...))
			list = list[:0]
		}
	}
	ok(b, w.Close())
	draw := func(b *testing.B, tr *trial.Trial, from, to time.Time) {
		c, err := tr.ColumnsByTime(source.TimeQuery{Series: "cpu/7", From: from, To: to}, columns)
		ok(b, err)
		if len(c.Columns) < columns/4 {
			b.Fatalf("%d columns", len(c.Columns))
		}
	}
	none := time.Time{}
	open := func() *trial.Trial {
		tr, err := trial.Open(w.Path())
		ok(b, err)
		return tr
	}
	timed(b, "whole, cold", func() *trial.Trial { dropped(b, w.Path()); return nil }, func(b *testing.B, _ *trial.Trial) { draw(b, open(), none, none) })
	timed(b, "an hour, cold", func() *trial.Trial { dropped(b, w.Path()); return nil }, func(b *testing.B, _ *trial.Trial) {
		from := start.Add(time.Duration(random.Int64N(int64(47 * time.Hour))))
		draw(b, open(), from, from.Add(time.Hour))
	})
	tr := open()
	same := func() *trial.Trial { return tr }
	draw(b, tr, none, none)
	timed(b, "whole, again", same, func(b *testing.B, tr *trial.Trial) { draw(b, tr, none, none) })
	timed(b, "an hour, elsewhere each time", same, func(b *testing.B, tr *trial.Trial) {
		from := start.Add(time.Duration(random.Int64N(int64(47 * time.Hour))))
		draw(b, tr, from, from.Add(time.Hour))
	})
}

// timed measures what is drawn, and the time that it takes of the processors.
func timed(b *testing.B, name string, prepare func() *trial.Trial, each func(b *testing.B, tr *trial.Trial)) {
	b.Run(name, func(b *testing.B) {
		var cpu time.Duration
		for b.Loop() {
			b.StopTimer()
			tr := prepare()
			from := cpuTime()
			b.StartTimer()
			each(b, tr)
			cpu += cpuTime() - from
		}
		b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
}

// cpuTime is what this process took of the processors.
func cpuTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// dropped takes the files of a run out of the system's memory.
func dropped(b *testing.B, run string) {
	b.Helper()
	ok(b, filepath.WalkDir(run, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Sync(); err != nil {
			return err
		}
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	}))
}
