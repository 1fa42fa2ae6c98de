package chunk_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// realistic are samples as a machine with 16 cores, four disks, a GPU and eight
// processes gives them: shares of time counted in ticks of 10 ms, bytes that grow
// and fall, rates that are noise.
func realistic(n, every int) *journal.Machine {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &journal.Samples{Host: "node"}
	series := []func(i int) float64{}
	add := func(name string, f func(i int) float64) {
		s.Names = append(s.Names, name)
		series = append(series, f)
	}
	ticks := func(mean float64) func(int) float64 { // of the time since the sample before, which jitters
		return func(int) float64 {
			used := math.Round(max(0, min(1, mean+0.15*rng.NormFloat64())) * float64(every) / 10)
			return min(100, 100*used*10/(float64(every)+rng.NormFloat64()))
		}
	}
	noise := func(mean float64) func(int) float64 {
		return func(int) float64 { return mean * math.Exp(0.5*rng.NormFloat64()) }
	}
	bursts := func(mean float64) func(int) float64 { // of whole pages, most often none
		return func(int) float64 {
			if rng.Float64() < 0.8 {
				return 0
			}
			return 4096 * math.Round(mean*rng.ExpFloat64()/4096)
		}
	}
	walk := func(at, step float64) func(int) float64 {
		return func(int) float64 {
			if rng.Float64() < 0.3 {
				at += 4096 * math.Round(step*rng.NormFloat64()/4096)
			}
			return at
		}
	}
	for core := range 16 {
		add(fmt.Sprintf("cpu/%d", core), ticks(0.4))
		add(fmt.Sprintf("iowait/%d", core), ticks(-0.1))
	}
	add("cpu/total", noise(40))
	add("iowait/total", noise(0.4))
	add("memory/used_bytes", walk(24e9, 3e6))
	add("memory/used_percent", noise(37))
	add("swap/used_bytes", func(int) float64 { return 0 })
	for _, kind := range []string{"cpu", "memory", "io"} {
		add("psi/"+kind, noise(1))
	}
	add("net/received_per_s", noise(4e5))
	add("net/sent_per_s", noise(1e5))
	for disk := range 4 {
		add(fmt.Sprintf("disk/nvme%dn1/read_per_s", disk), bursts(8e6))
		add(fmt.Sprintf("disk/nvme%dn1/write_per_s", disk), bursts(2e6))
	}
	add("fs/used_percent", func(i int) float64 { return 61 + float64(i)/1e5 })
	add("gpu/0/utilization", func(int) float64 { return math.Round(90 + 5*rng.NormFloat64()) })
	add("gpu/0/memory_bytes", walk(14e9, 2e6))
	add("gpu/0/power_w", noise(250))
	add("gpu/0/temperature_c", func(int) float64 { return 60 + float64(rng.IntN(3)) })
	add("gpu/0/sm_clock_mhz", func(int) float64 { return 1410 - 15*float64(rng.IntN(4)) })
	for rank := range 8 {
		add(fmt.Sprintf("process/%d/rss_bytes", rank), walk(2e9, 1e6))
		add(fmt.Sprintf("process/%d/cpu_percent", rank), ticks(0.8))
		add(fmt.Sprintf("process/%d/threads", rank), func(int) float64 { return 18 })
		add(fmt.Sprintf("process/%d/open_files", rank), func(int) float64 { return 40 + float64(rng.IntN(2)) })
		add(fmt.Sprintf("process/%d/read_per_s", rank), bursts(1e6))
	}
	at := int64(1_790_000_000_000_000)
	for i := range n {
		r := journal.Row{Time: at + int64(300*rng.NormFloat64())}
		at += int64(every) * 1000
		for k, f := range series {
			if rank := k - (len(series) - 40); rank >= 35 && i < n/2 { // a process that began later
				continue
			}
			r.Numbers, r.Values = append(r.Numbers, uint32(k)), append(r.Values, record.RoundMetric(f(i)))
		}
		s.Rows = append(s.Rows, r)
	}
	m := &journal.Machine{}
	if err := m.Add(s); err != nil {
		panic(err)
	}
	return m
}

// A sealed figure of machine metrics takes at most two bytes, times and the
// file's frame included, and is what was stored, bit for bit.
func TestMetricsTakeTwoBytesAFigure(t *testing.T) {
	for _, every := range []int{100, 500} {
		m := realistic(1800*1000/every, every)
		var b bytes.Buffer
		if err := chunk.WriteMetrics(&b, m); err != nil {
			t.Fatal(err)
		}
		figures := 0
		f, err := chunk.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		at, err := f.Instants(0, f.Rows())
		if err != nil {
			t.Fatal(err)
		}
		for i := range at {
			if at[i] != m.Times[i] {
				t.Fatalf("sample %d is at %d instead of %d", i, at[i], m.Times[i])
			}
		}
		for _, name := range m.Names {
			want := m.Column(name)
			got, ok, err := f.Figures(name, 0, f.Rows())
			if err != nil || !ok {
				t.Fatalf("%s: %t, %v", name, ok, err)
			}
			for i, v := range want {
				if math.Float64bits(v) != math.Float64bits(got[i]) && !math.IsNaN(v) {
					t.Fatalf("%s: figure %d is %v instead of %v", name, i, got[i], v)
				}
				if !math.IsNaN(v) {
					figures++
				}
			}
		}
		per := float64(b.Len()) / float64(figures)
		t.Logf("every %d ms: %d series, %d figures, %.2f bytes each", every, len(m.Names), figures, per)
		if per > 2 {
			t.Errorf("every %d ms: %.2f bytes a figure", every, per)
		}
	}
}
