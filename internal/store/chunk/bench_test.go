package chunk_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// numbers makes n steps of as many series of noisy float32 numbers.
func numbers(n, series int) []journal.Lazy {
	random := rand.New(rand.NewPCG(1, 2))
	names := make([]string, series)
	for i := range names {
		names[i] = fmt.Sprintf("metric_%d", i)
	}
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	out := make([]journal.Lazy, n)
	for i := range out {
		seconds := 0.01 * (1 + random.Float64()/20)
		at = at.Add(time.Duration(seconds*1e6) * time.Microsecond)
		s := &record.Step{Worker: "worker_0", Step: int64(i), Mode: record.Train, ModeStep: int64(i), Time: record.Moment(uint64(at.UnixMicro())), Seconds: record.Duration(seconds), Overhead: record.Duration(2e-5 * (1 + random.Float64()))}
		for _, name := range names {
			s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: float64(float32(2 + 0.1*random.NormFloat64()))})
		}
		out[i].Step = s
	}
	return out
}

func BenchmarkWriteScalars(b *testing.B) {
	list := numbers(1000, 100)
	for b.Loop() {
		if _, err := chunk.GatherScalars(list).Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/row")
}

func BenchmarkReadSeries(b *testing.B) {
	var buf bytes.Buffer
	if _, err := chunk.GatherScalars(numbers(10_000, 10)).Write(&buf); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := open(buf.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range f.Directory() {
			if _, _, err := f.ModeSteps(e.From, e.Rows); err != nil {
				b.Fatal(err)
			}
			if _, err := f.Floats("value", e.From, e.Rows); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/row")
}

// BenchmarkBytes measures nothing in time: it says how large the tables are.
func BenchmarkBytes(b *testing.B) {
	for _, series := range []int{1, 10} {
		b.Run(fmt.Sprint(series), func(b *testing.B) {
			list := numbers(60_000/series, series)
			var scalars, steps bytes.Buffer
			for b.Loop() {
				scalars.Reset()
				steps.Reset()
				if _, err := chunk.GatherScalars(list).Write(&scalars); err != nil {
					b.Fatal(err)
				}
				if err := chunk.WriteSteps(&steps, list); err != nil {
					b.Fatal(err)
				}
			}
			points := float64(len(list) * series)
			b.ReportMetric(float64(scalars.Len())/points, "scalars/point")
			b.ReportMetric(float64(steps.Len())/float64(len(list)), "steps/step")
		})
	}
}
