package monitor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestHistogram(t *testing.T) {
	for _, c := range []struct {
		name   string
		add    []float64
		p      float64
		want   float64
		below  float64 // of this percentage
		shared float64
	}{
		{"one", []float64{37.42}, 50, 37.42, 37.42, 0},
		{"both ends", []float64{0, 100}, 100, 100, 100, 0.5},
		{"the middle of four", []float64{4, 1, 3, 2}, 50, 2, 3, 0.5},
		{"the least", []float64{4, 1, 3, 2}, 0, 1, 1, 0},
		{"most of ten", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 95, 10, 10, 0.9},
		{"beyond both ends", []float64{-3, 250}, 0, 0, 100, 0.5},
		{"a hundredth of a point", []float64{99.994, 99.996}, 100, 100, 100, 0.5},
	} {
		var h Histogram
		for _, v := range c.add {
			h.Add(v)
		}
		if got := h.Percentile(c.p); got != c.want {
			t.Errorf("%s: percentile %v is %v, want %v", c.name, c.p, got, c.want)
		}
		if got := h.Below(c.below); got != c.shared {
			t.Errorf("%s: %v lie below %v, want %v", c.name, got, c.below, c.shared)
		}
	}
	var h Histogram
	h.Add(math.NaN())
	if !math.IsNaN(h.Percentile(50)) || !math.IsNaN(h.Below(50)) || h.Count() != 0 {
		t.Error("what is no number was counted")
	}
}

// Percentiles are those of the sorted values, to half a hundredth of a point.
func TestHistogramIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var all []float64
	for range 10_000 {
		v := 100 * r.Float64() * r.Float64()
		all = append(all, v)
		h.Add(v)
	}
	slices.Sort(all)
	for _, p := range []float64{0, 1, 5, 25, 50, 75, 95, 99, 99.9, 100} {
		want := all[max(int(math.Ceil(p/100*float64(len(all))))-1, 0)]
		if got := h.Percentile(p); math.Abs(got-want) > 0.0050001 {
			t.Errorf("percentile %v is %v, want %v", p, got, want)
		}
	}
}

// Totals keep what the summary needs, also of series that come later or are no
// percentages.
func TestTotals(t *testing.T) {
	var x Totals
	for i := range 101 {
		s := record.Sample{Values: []record.Scalar{{Name: "cpu/total", Value: float64(i)}, {Name: "process/0/cpu_percent", Value: 3 * float64(i)}}}
		if i >= 50 {
			s.Values = append(s.Values, record.Scalar{Name: "memory/used_bytes", Value: 1e9 * float64(i)})
		}
		x.Add(s)
	}
	cpu, ok := x.Of("cpu/total")
	if !ok || cpu.Count != 101 || cpu.Min != 0 || cpu.Max != 100 || math.Abs(cpu.Mean-50) > 1e-9 || cpu.Last != 100 || cpu.Percentages.Percentile(95) != 95 {
		t.Errorf("cpu/total: %+v", cpu)
	}
	if p, ok := x.Of("process/0/cpu_percent"); !ok || p.Max != 300 || p.Percentages != nil {
		t.Errorf("a process on several cores: %+v", p)
	}
	if m, ok := x.Of("memory/used_bytes"); !ok || m.Count != 51 || m.Min != 50e9 || m.Percentages != nil {
		t.Errorf("memory/used_bytes: %+v", m)
	}
	if _, ok := x.Of("gpu/0/utilization"); ok || len(x.Names()) != 3 {
		t.Errorf("series: %q", x.Names())
	}
}

// A day of samples every 100 ms of 100 series takes no more memory than an hour,
// and less than 30 MB.
func TestTotalsStaySmall(t *testing.T) {
	var x Totals
	s := record.Sample{}
	for i := range 100 {
		s.Values = append(s.Values, record.Scalar{Name: fmt.Sprintf("cpu/%d", i), Value: float64(i)})
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 100 {
		x.Add(s)
	}
	if n := testing.AllocsPerRun(100, func() { x.Add(s) }); n > 0 {
		t.Errorf("a sample allocates %v times", n)
	}
	if after := heap(); after > before+10<<20 {
		t.Errorf("100 series take %.1f MB", float64(after-before)/(1<<20))
	}
	runtime.KeepAlive(&x)
}
