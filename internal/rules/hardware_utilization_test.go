package rules_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// windowOf is a window of samples of hosts, one a second, each with values by name.
func windowOf(n int64, host string, samples ...map[string]float64) *record.Window {
	w := &record.Window{Index: n, From: after(float64(10 * n)), To: after(float64(10*n + 10))}
	for i, values := range samples {
		s := record.Sample{Host: host, Time: after(float64(10*n) + float64(i))}
		for name, x := range values {
			s.Values = append(s.Values, record.Scalar{Name: name, Value: x})
		}
		w.Samples = append(w.Samples, s)
	}
	return w
}

// Percentiles are linear between neighbours; comparisons are strict; the first
// verdict takes more samples than patience; a stretch on the wrong side is one
// finding.
func TestHardwareUtilization(t *testing.T) {
	cpu := func(v ...float64) (out []map[string]float64) {
		for _, x := range v {
			out = append(out, map[string]float64{"cpu/total": x, "cpu/0": 100})
		}
		return out
	}
	short := []string{"patience", "3", "window", "4"}
	with := func(kv ...string) []string { return append(kv, short...) }
	for _, tt := range []struct {
		name    string
		params  []string
		windows [][]map[string]float64
		want    []string // findings: end of the window in seconds and message
		details string
	}{
		{"below", with("threshold", "30"), [][]map[string]float64{cpu(10, 20, 30), cpu(20)},
			[]string{"20 The CPU use of a is too low: percentile 95 of the last 4 samples is 28.5 %, below 30 %."}, ""},
		{"equal", with("threshold", "20", "percentile", "50"), [][]map[string]float64{cpu(10, 20, 30, 20)}, nil, ""},
		{"patience", []string{"threshold", "30", "patience", "4"}, [][]map[string]float64{cpu(1, 1), cpu(1, 1)}, nil, "4 samples of CPU use were recorded; it takes more than 4"},
		{"the last ones count", with("threshold", "30"), [][]map[string]float64{cpu(100, 100, 100), cpu(1, 1), cpu(1, 1)},
			[]string{"30 The CPU use of a is too low: percentile 95 of the last 4 samples is 1 %, below 30 %."}, ""},
		{"once in a stretch", with("threshold", "30"), [][]map[string]float64{cpu(1, 1, 1, 1), cpu(1), cpu(100, 100), cpu(1, 1, 1, 1)},
			[]string{"10 The CPU use of a is too low: percentile 95 of the last 4 samples is 1 %, below 30 %.", "40 The CPU use of a is too low: percentile 95 of the last 4 samples is 1 %, below 30 %."}, ""},
		{"above", with("threshold", "90", "direction", "above", "percentile", "50"), [][]map[string]float64{cpu(1, 95, 96, 100)},
			[]string{"10 The CPU use of a is too high: percentile 50 of the last 4 samples is 95.5 %, above 90 %."}, ""},
		{"mean of GPUs", with("threshold", "60", "metric", "gpu"), [][]map[string]float64{{
			{"gpu/0/utilization": 100, "gpu/1/utilization": 10, "gpu/0/memory_percent": 90}, {"gpu/0/utilization": 100, "gpu/1/utilization": 10},
			{"gpu/0/utilization": 100, "gpu/1/utilization": 10}, {"gpu/0/utilization": 100, "gpu/1/utilization": 10},
		}}, []string{"10 The GPU use of a is too low: percentile 95 of the last 4 samples is 55 %, below 60 %."}, ""},
		{"no GPU", with("threshold", "60", "metric", "gpu"), [][]map[string]float64{cpu(1, 1, 1, 1, 1)}, nil, "no samples of GPU use were recorded"},
		{"memory of the machine", with("threshold", "60", "metric", "cpu_memory", "direction", "above"), [][]map[string]float64{{
			{"memory/used_percent": 70}, {"memory/used_percent": 70}, {"memory/used_percent": math.NaN()}, {"memory/used_percent": 70}, {"memory/used_percent": 70},
		}}, []string{"10 The memory use of a is too high: percentile 95 of the last 4 samples is 70 %, above 60 %."}, ""},
		{"network", with("threshold", "1000", "metric", "network"), [][]map[string]float64{{
			{"net/received_per_s": 400, "net/sent_per_s": 500}, {"net/received_per_s": 400, "net/sent_per_s": 500}, {"net/received_per_s": 400}, {"net/received_per_s": 400, "net/sent_per_s": 500}, {"net/received_per_s": 400, "net/sent_per_s": 500},
		}}, []string{"10 The network traffic of a is too low: percentile 95 of the last 4 samples is 900 bytes/s, below 1000 bytes/s."}, ""},
		{"cores without a total", with("threshold", "60"), [][]map[string]float64{{
			{"cpu/0": 10, "cpu/1": 30}, {"cpu/0": 10, "cpu/1": 30}, {"cpu/0": 10, "cpu/1": 30}, {"cpu/0": 10, "cpu/1": 30},
		}}, []string{"10 The CPU use of a is too low: percentile 95 of the last 4 samples is 20 %, below 60 %."}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJob(t, config("HardwareUtilization", tt.params...))
			for i, w := range tt.windows {
				j.engine.Window(windowOf(int64(i), "a", w...))
			}
			j.engine.Finish(record.Completed)
			var got []string
			for _, f := range j.found {
				got = append(got, fmt.Sprint(f.Time.Sub(epoch).Seconds(), " ", f.Message))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if s := j.status(); !strings.Contains(s.Details, tt.details) || tt.details != "" && s.NotJudged == "" {
				t.Errorf("details are %q", s.Details)
			}
		})
	}
}

// Each host is judged for itself.
func TestHardwareUtilizationOfHosts(t *testing.T) {
	j := newJob(t, config("hardware_utilization", "threshold", "30", "patience", "1", "window", "2"))
	w := windowOf(0, "a", map[string]float64{"cpu/total": 1}, map[string]float64{"cpu/total": 2})
	w.Samples = append(w.Samples, windowOf(0, "b", map[string]float64{"cpu/total": 90}, map[string]float64{"cpu/total": 2}).Samples...)
	w.Samples = append(w.Samples, windowOf(0, "c", map[string]float64{"cpu/total": 3}, map[string]float64{"cpu/total": 2}).Samples...)
	j.engine.Window(w)
	if len(j.found) != 2 || j.found[0].Subject != "a" || j.found[1].Subject != "c" || j.found[0].CauseClass != "hardware" {
		t.Errorf("found %+v", j.found)
	}
}

// The name of SageMaker Debugger is taken, and answered with what it is here.
func TestCPUUtilization(t *testing.T) {
	j := newJob(t, config("CPUUtilization", "threshold", "30"))
	if s := j.status(); s.Rule != "hardware_utilization" || s.Details != "the rule is HardwareUtilization with metric=cpu" {
		t.Errorf("status is %+v", s)
	}
	if got := rules.Notice("CPUUtilization") + rules.Notice("HardwareUtilization"); got != "the rule is HardwareUtilization with metric=cpu" {
		t.Errorf("notice is %q", got)
	}
}
