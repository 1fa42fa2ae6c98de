package view_test

import (
	"math"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/internal/view"
)

var machineBegan = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// sampledRun is a run with samples of its hosts half a second apart, and what else
// fill writes.
func sampledRun(t *testing.T, samples []record.Sample, fill func(w *store.Writer)) *trial.Trial {
	t.Helper()
	root := t.TempDir()
	ended := machineBegan.Add(time.Minute)
	w, err := store.Create(vfs.OS, root, "run", record.Run{Started: machineBegan, Ended: &ended, Status: record.Completed, Host: "node1",
		Framework: record.Framework{Name: "pytorch"}, Workers: []record.Worker{{Name: "worker_0", Host: "node1", Chief: true}, {Name: "worker_1", Rank: 1, Host: "node1"}}})
	if err == nil && samples != nil {
		err = w.Samples(samples...)
	}
	if err != nil {
		t.Fatal(err)
	}
	if fill != nil {
		fill(w)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := trial.Open(root + "/run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run
}

func half(i int) time.Time { return machineBegan.Add(time.Duration(i) * 500 * time.Millisecond) }

// The totals of a node at each sample are means over its cores and GPUs; the
// percentiles are those of the totals, interpolated between neighbours.
func TestMachineTable(t *testing.T) {
	var samples []record.Sample
	for i := range 11 {
		v := float64(10 * i)
		samples = append(samples, record.Sample{Host: "node1", Time: half(i), Values: []record.Scalar{
			{Name: "cpu/total", Value: v}, {Name: "iowait/total", Value: 1}, {Name: "memory/used_percent", Value: 25},
			{Name: "gpu/0/utilization", Value: v}, {Name: "gpu/1/utilization", Value: 0}, {Name: "gpu/0/memory_percent", Value: 50}, {Name: "gpu/1/memory_percent", Value: 100},
			{Name: "net/received_per_s", Value: 1000}, {Name: "net/sent_per_s", Value: 24}, {Name: "net/eth0/sent_per_s", Value: 24},
		}}, record.Sample{Host: "node2", Time: half(i), Values: []record.Scalar{{Name: "cpu/0", Value: v}, {Name: "cpu/1", Value: 100}}})
	}
	run := sampledRun(t, samples, nil)
	got, err := view.MachineTable(run)
	if err != nil {
		t.Fatal(err)
	}
	want := []view.UseRow{
		// 0, 10, ... 100: place q*(11-1)
		{Host: "node1", Metric: "total CPU", Unit: "%", Min: 0, Max: 100, P99: 99, P95: 95, P90: 90, P50: 50, Samples: 11},
		// 0, 5, ... 50
		{Host: "node1", Metric: "total GPU", Unit: "%", Min: 0, Max: 50, P99: 49.5, P95: 47.5, P90: 45, P50: 25, Samples: 11},
		{Host: "node1", Metric: "total CPU memory", Unit: "%", Min: 25, Max: 25, P99: 25, P95: 25, P90: 25, P50: 25, Samples: 11},
		{Host: "node1", Metric: "total GPU memory", Unit: "%", Min: 75, Max: 75, P99: 75, P95: 75, P90: 75, P50: 75, Samples: 11},
		{Host: "node1", Metric: "total I/O wait", Unit: "%", Min: 1, Max: 1, P99: 1, P95: 1, P90: 1, P50: 1, Samples: 11},
		{Host: "node1", Metric: "total network", Unit: "B/s", Min: 1024, Max: 1024, P99: 1024, P95: 1024, P90: 1024, P50: 1024, Samples: 11},
		// without a total of its own: 50, 55, ... 100
		{Host: "node2", Metric: "total CPU", Unit: "%", Min: 50, Max: 100, P99: 99.5, P95: 97.5, P90: 95, P50: 75, Samples: 11},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d rows: %+v", len(got), got)
	}
	for i := range want {
		g, w := got[i], want[i]
		for _, pair := range [][2]*float64{{&g.P99, &w.P99}, {&g.P95, &w.P95}, {&g.P90, &w.P90}, {&g.P50, &w.P50}} {
			if math.Abs(*pair[0]-*pair[1]) < 1e-9 {
				*pair[0] = *pair[1]
			}
		}
		if g != w {
			t.Errorf("row %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestMetricUnit(t *testing.T) {
	for name, want := range map[string]string{
		"cpu/total": "%", "cpu/12": "%", "iowait/0": "%", "psi/io_full": "%", "memory/used_percent": "%", "gpu/0/utilization": "%", "disk/sda/busy_percent": "%",
		"memory/used_bytes": "B", "gpu/0/memory_bytes": "B", "net/sent_per_s": "B/s", "swap/in_per_s": "B/s", "process/0/waits_per_s": "/s",
		"gpu/0/power_w": "W", "gpu/0/power_limit_w": "W", "gpu/0/temperature_c": "°C", "gpu/0/sm_clock_mhz": "MHz", "cgroup/cpu_limit_cores": "cores",
		"process/0/cores": "cores", "gpu/0/throttled": "", "job/threads": "", "process/0/open_files": "",
	} {
		if got := view.MetricUnit(name); got != want {
			t.Errorf("unit of %s is %q, want %q", name, got, want)
		}
	}
}

// A chart of few columns keeps every spike, and says when each column was.
func TestMachineSeries(t *testing.T) {
	var samples []record.Sample
	for i := range 100 {
		v := 10.0
		if i == 57 {
			v = 99
		}
		samples = append(samples, record.Sample{Host: "node1", Time: half(i), Values: []record.Scalar{{Name: "cpu/total", Value: v}, {Name: "gpu/0/utilization", Value: v}, {Name: "gpu/1/utilization", Value: 0}}})
	}
	run := sampledRun(t, samples, nil)
	_, list, err := view.MachineSeriesOf(run, "", []string{"cpu/total", "gpu/*/utilization", "fan/0"}, time.Time{}, time.Time{}, 10)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d series, error %v", len(list), err)
	}
	for i, want := range []struct {
		known   bool
		highest float64
	}{{true, 99}, {true, 49.5}, {false, math.Inf(-1)}} {
		s, highest, points := list[i], math.Inf(-1), 0
		for c := range s.X {
			highest = max(highest, s.Max[c])
			if s.XLast[c] < s.X[c] || c > 0 && s.X[c] <= s.XLast[c-1] {
				t.Errorf("%s: column %d is from %f to %f", s.Name, c, s.X[c], s.XLast[c])
			}
			points++
		}
		if s.Known != want.known || highest != want.highest || s.Raw && s.Known || points > 11 {
			t.Errorf("%s: known %v, raw %v, highest %v, %d columns", s.Name, s.Known, s.Raw, highest, points)
		}
	}
	_, list, err = view.MachineSeriesOf(run, "node1", []string{"cpu/total"}, half(50), half(60), 10)
	if err != nil || !list[0].Raw || list[0].Points != 10 || list[0].Mean[7] != 99 || list[0].X[7] != float64(half(57).Unix())+0.5 {
		t.Errorf("near by: %+v, error %v", list, err)
	}
}

// The heat map has the totals, cores by number and GPUs; a pause is no number.
func TestMachineHeat(t *testing.T) {
	var samples []record.Sample
	for i := range 40 {
		s := record.Sample{Host: "node1", Time: half(i)}
		if i >= 20 {
			s.Time = s.Time.Add(10 * time.Second)
		}
		for _, core := range []string{"0", "1", "10", "2"} {
			s.Values = append(s.Values, record.Scalar{Name: "cpu/" + core, Value: float64(i % 2 * 100)})
		}
		samples = append(samples, record.Sample{Host: s.Host, Time: s.Time, Values: append(s.Values, record.Scalar{Name: "cpu/total", Value: 50}, record.Scalar{Name: "gpu/0/utilization", Value: 20}, record.Scalar{Name: "gpu/1/utilization", Value: 40})})
	}
	h, err := view.MachineHeatOf(sampledRun(t, samples, nil), "", time.Time{}, time.Time{}, 15)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, r := range h.Rows {
		names += r.Kind + " " + r.Name + "|"
	}
	if want := "total CPU|total GPU|cpu core 0|cpu core 1|cpu core 2|cpu core 10|gpu GPU 0|gpu GPU 1|"; names != want {
		t.Errorf("rows %s, want %s", names, want)
	}
	if h.Seconds != 2 || len(h.Times) != 15 {
		t.Fatalf("%d columns of %v s", len(h.Times), h.Seconds)
	}
	core, gpu := h.Rows[2], h.Rows[1]
	if core.Values[0] != 50 || core.Highest[0] != 100 || gpu.Values[14] != 30 || !math.IsNaN(core.Values[6]) || !math.IsNaN(core.Highest[6]) {
		t.Errorf("core %v, highest %v, GPUs %v", core.Values, core.Highest, gpu.Values)
	}
}
