package chunk_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// noisyStats makes n steps of statistics of a few tensors.
func noisyStats(n, tensors int) []journal.Lazy {
	random := rand.New(rand.NewPCG(1, 2))
	out := numbers(n, 0)
	for i := range out {
		for k := range tensors {
			x := random.NormFloat64()
			out[i].Stats = append(out[i].Stats, record.TensorStats{Tensor: fmt.Sprintf("layers.%d.attention.weight", k), Stats: tensor.Stats{
				Count: 4096, Zeros: random.Int64N(9), Min: float64(float32(-1 + x/9)), Max: float64(float32(1 + x/9)), Mean: x / 900, M2: 3000 + x, L1: 3000 + math.Abs(x)}})
		}
	}
	return out
}

// noisyTimes makes n rows of step times.
func noisyTimes(n int) []record.StepTime {
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	out := make([]record.StepTime, n)
	for i := range out {
		r := record.StepTime{Worker: "worker_0", Step: int64(i), Mode: record.Train, ModeStep: int64(i), Steps: 1, Start: at, Gap: 1000 * random.Int64N(30), LongestStep: int64(i)}
		for p := range r.Parts {
			if p != int(record.SaveCheckpoint) && p != int(record.WaitForRanks) {
				r.Parts[p] = 1000 * random.Int64N(2000)
			}
		}
		r.Longest = r.Total() - r.Gap
		at = at.Add(time.Duration(r.Total()))
		r.End = at
		out[i] = r
	}
	return out
}

// BenchmarkLevels says what levels cost next to the table that they are of.
func BenchmarkLevels(b *testing.B) {
	for name, steps := range map[string][]journal.Lazy{"1 scalar": numbers(256<<10, 1), "10 scalars": numbers(26_000, 10), "100 scalars": numbers(2600, 100)} {
		var rows *chunk.ScalarRows
		costs(b, name, func(w io.Writer) error { rows = chunk.GatherScalars(steps); _, err := rows.Write(w); return err }, func() *chunk.Levels { return rows.Levels() })
	}
	for name, steps := range map[string][]journal.Lazy{"1 tensor": noisyStats(256<<10, 1), "10 tensors": noisyStats(26_000, 10), "100 tensors": noisyStats(2600, 100)} {
		costs(b, name, func(w io.Writer) error { _, err := chunk.WriteStats(w, steps); return err }, func() *chunk.Levels { return chunk.StatLevels(steps) })
	}
	times := noisyTimes(256 << 10)
	costs(b, "times", func(w io.Writer) error { return chunk.WriteTimes(w, times) }, func() *chunk.Levels { return chunk.TimeLevels(times) })
	for name, m := range map[string]*journal.Machine{"metrics every 100 ms": realistic(5200, 100), "metrics every 500 ms": realistic(3600, 500)} {
		costs(b, name, func(w io.Writer) error { return chunk.WriteMetrics(w, m) }, func() *chunk.Levels { return chunk.MetricLevels(m) })
	}
}

func costs(b *testing.B, name string, table func(io.Writer) error, levels func() *chunk.Levels) {
	b.Run(name, func(b *testing.B) {
		var own, more bytes.Buffer
		var wrote, summed time.Duration
		for b.Loop() {
			own.Reset()
			more.Reset()
			from := time.Now()
			if err := table(&own); err != nil {
				b.Fatal(err)
			}
			between := time.Now()
			if err := levels().Write(&more); err != nil {
				b.Fatal(err)
			}
			wrote, summed = wrote+between.Sub(from), summed+time.Since(between)
		}
		b.ReportMetric(float64(own.Len()), "table-bytes")
		b.ReportMetric(100*float64(more.Len())/float64(own.Len()), "%bytes")
		b.ReportMetric(100*float64(summed)/float64(wrote), "%time")
	})
}
