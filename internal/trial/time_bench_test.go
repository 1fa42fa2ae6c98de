package trial_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// BenchmarkReadAnHour reads one hour of machine metrics, sampled every 100 ms in
// 100 series, from the disk: all of them as arrays, then all as samples.
func BenchmarkReadAnHour(b *testing.B) {
	w, err := store.Create(vfs.OS, b.TempDir(), "run", record.Run{Status: record.Running})
	ok(b, err)
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]record.Scalar, 100)
	for i := range 36_000 {
		for k := range values {
			v := 100 * rng.Float64()
			if k%3 == 0 {
				v = 1e6 * math.Exp(rng.NormFloat64())
			}
			values[k] = record.Scalar{Name: fmt.Sprintf("series/%d", k), Value: v}
		}
		ok(b, w.Samples(record.Sample{Host: "h", Time: start.Add(time.Duration(i) * 100 * time.Millisecond), Values: values}))
	}
	ok(b, w.Close())
	none := time.Time{}
	b.Run("arrays", func(b *testing.B) {
		for b.Loop() {
			t, err := trial.Open(w.Path())
			ok(b, err)
			n := 0
			for _, name := range t.MetricNames("h") {
				_, v, err := t.Metric("h", name, none, none)
				ok(b, err)
				n += len(v)
			}
			if n != 3_600_000 {
				b.Fatalf("%d figures", n)
			}
		}
	})
	b.Run("samples", func(b *testing.B) {
		for b.Loop() {
			t, err := trial.Open(w.Path())
			ok(b, err)
			n := 0
			ok(b, t.Samples("h", none, none, func(s *record.Sample) error { n += len(s.Values); return nil }))
			if n != 3_600_000 {
				b.Fatalf("%d figures", n)
			}
		}
	})
}
