package trial_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Several readers read while steps come and journals are sealed under them: no
// step is ever seen twice, half, out of order or gone again.
func TestReadersWhileWriting(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	w.SealAt(200)
	const n = 600
	var wg sync.WaitGroup
	for reader := range 3 {
		tr := open(t, vfs.OS, w.Path())
		wg.Add(1)
		go func() {
			defer wg.Done()
			seen := 0
			for seen < n {
				steps, values, err := tr.Series(trial.Query{Tensor: "loss"})
				if err != nil && len(steps) == 0 && seen == 0 {
					continue // nothing stored yet
				}
				if err != nil || len(steps) < seen {
					t.Errorf("%d steps after %d: %v", len(steps), seen, err)
					return
				}
				for i := range steps {
					if steps[i] != int64(i) || values[i] != float64(i)/3 {
						t.Errorf("value %d is %g at step %d", i, values[i], steps[i])
						return
					}
				}
				seen = len(steps)
				if reader == 0 {
					if d := tr.Damage(); len(d) > 0 {
						t.Errorf("damage while writing: %+v", d)
						return
					}
				}
			}
		}()
	}
	followed := make(chan error, 1)
	go func() {
		next := int64(0)
		followed <- follow(open(t, vfs.OS, w.Path()), func(c *record.Complete) error {
			if c.Step != next || len(c.Parts) != 1 || len(c.Parts[0].Stats) != int(next%4) {
				return fmt.Errorf("step %d with %d parts instead of step %d", c.Step, len(c.Parts), next)
			}
			next++
			return nil
		})
	}()
	for i := range int64(n) {
		s := small("w", i)
		ok(t, w.Append("w", "s", uint64(i+1), s))
		ok(t, w.Complete(complete(s)))
		if i%100 == 0 {
			ok(t, w.Sync())
		}
	}
	wg.Wait()
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }))
	ok(t, <-followed)
	ok(t, w.Close())
	tr := open(t, vfs.OS, w.Path())
	if got := len(tr.Steps(record.Train)); got != n {
		t.Errorf("%d steps", got)
	}
	whole(t, tr)
}

// hundred is a step with 100 rows of statistics, every tenth with a histogram.
func hundred(i int64) *record.Step {
	s := &record.Step{Worker: "worker_0", Step: i, ModeStep: i, Time: start, Seconds: 0.1, Scalars: []record.Scalar{{Name: "loss", Value: float64(i)}}}
	for k := range 100 {
		v := record.TensorStats{Tensor: fmt.Sprintf("model.layers.%d.self_attn.q_proj.weight", k),
			Stats: tensor.Stats{Count: 1 << 20, Min: -float64(i), Max: float64(k), Mean: 1 / float64(i+1), M2: float64(i * 7), L1: float64(k + 1)}}
		v.Hist = &tensor.Histogram{}
		for e := range 20 {
			v.Hist.Pos[120+e], v.Hist.Neg[120+e] = int64(e)*i, int64(e)
		}
		s.Stats = append(s.Stats, v)
	}
	return s
}

// BenchmarkAppend is one step with 100 rows of statistics and histograms.
func BenchmarkAppend(b *testing.B) {
	w := create(b, vfs.OS, b.TempDir())
	s := hundred(1)
	seq := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		seq++
		ok(b, w.Append("worker_0", "s", seq, s))
	}
	b.StopTimer()
	ok(b, w.Close())
}

// BenchmarkSeal is the sealing of 64,000 rows.
func BenchmarkSeal(b *testing.B) {
	w := create(b, vfs.OS, b.TempDir())
	w.SealAt(1 << 40)
	for b.Loop() {
		b.StopTimer()
		for i := range int64(640) {
			ok(b, w.Append("worker_0", "", 0, hundred(i)))
		}
		b.StartTimer()
		ok(b, w.Seal())
	}
	ok(b, w.Close())
}

// long makes a run of n steps with 100 tensors.
func long(b *testing.B, n int64) *store.Writer {
	w := create(b, vfs.OS, b.TempDir())
	for i := range n {
		s := hundred(i)
		ok(b, w.Append("worker_0", "", 0, s))
		ok(b, w.Complete(complete(s)))
	}
	ok(b, w.Close())
	return w
}

// BenchmarkSeries reads one statistic of one tensor over 10,000 steps of 100
// tensors, from a trial opened again each time.
func BenchmarkSeries(b *testing.B) {
	w := long(b, 10_000)
	for b.Loop() {
		tr, err := trial.Open(w.Path())
		ok(b, err)
		steps, _, err := tr.Series(trial.Query{Tensor: "model.layers.50.self_attn.q_proj.weight", Stat: "mean"})
		if err != nil || len(steps) != 10_000 {
			b.Fatal(len(steps), err)
		}
	}
}

// BenchmarkReplay replays 10,000 steps of 100 tensors.
func BenchmarkReplay(b *testing.B) {
	w := long(b, 10_000)
	for b.Loop() {
		tr, err := trial.Open(w.Path())
		ok(b, err)
		n := 0
		ok(b, tr.Replay(func(*record.Complete) error { n++; return nil }))
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}
