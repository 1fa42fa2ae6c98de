package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// timed is a row of step times with parts in milliseconds, in their order.
func timed(mode Mode, end int, ms ...int64) *StepTime {
	row := &StepTime{Worker: "worker_0", Mode: mode, Steps: 1, End: time.Unix(int64(end), 0)}
	for p, n := range ms {
		row.Parts[p] = n * 1e6
	}
	row.Start = row.End.Add(-time.Duration(row.Total()))
	return row
}

func TestTimeOfARun(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows []*StepTime
		want string
	}{
		{"nothing", nil, ""},
		{"a training", []*StepTime{timed(Train, 1, 610, 0, 220, 120, 0, 30, 0, 20)}, "data 61 %, forward 22 %, backward 12 %, optimiser 3 %, other 2 %"},
		{"parts below one in a hundred are other", []*StepTime{timed(Train, 1, 605, 9, 220, 120, 0, 31, 9, 6)}, "data 61 %, forward 22 %, backward 12 %, optimiser 3 %, other 2 %"},
		{"all parts", []*StepTime{timed(Train, 1, 20, 20, 20, 20, 20, 20, 20, 860)}, "data 2 %, copy to device 2 %, forward 2 %, backward 2 %, waiting for ranks 2 %, optimiser 2 %, checkpoints 2 %, other 86 %"},
		{"evaluation is one part of it", []*StepTime{timed(Train, 1, 0, 0, 500, 200), timed(Eval, 2, 200, 0, 100)}, "forward 50 %, backward 20 %, evaluation 30 %"},
		{"evaluation alone", []*StepTime{timed(Eval, 1, 200, 0, 800)}, "data 20 %, forward 80 %"},
		{"a framework without modes", []*StepTime{timed(Global, 1, 0, 0, 0, 0, 0, 900, 0, 100)}, "optimiser 90 %, other 10 %"},
		{"whole points add up to 100", []*StepTime{timed(Train, 1, 333, 0, 333, 334)}, "data 33 %, forward 33 %, backward 34 %"},
		{"a row comes twice", []*StepTime{timed(Train, 1, 0, 0, 500), timed(Train, 2, 0, 0, 0, 500), timed(Train, 2, 0, 0, 0, 500)}, "forward 50 %, backward 50 %"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sum RunTime
			for _, r := range tt.rows {
				sum.Count(r)
			}
			if got := sum.SharesText(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Sums are exact, and the same when an agent goes on with what another one wrote.
func TestTimeGoesOnExactly(t *testing.T) {
	var whole RunTime
	var halves RunTime
	for i := range 10_000 {
		row := timed(Train, i+1, 1, 0, 2)
		row.Parts[Forward] += int64(i % 7)
		whole.Count(row)
		if i == 5000 {
			b, err := json.Marshal(halves)
			if err != nil {
				t.Fatal(err)
			}
			halves = RunTime{}
			if err := json.Unmarshal(b, &halves); err != nil {
				t.Fatal(err)
			}
		}
		halves.Count(row)
	}
	if a, b := fmt.Sprint(whole), fmt.Sprint(halves); a != b {
		t.Errorf("one agent %s\ntwo       %s", a, b)
	}
	if m := whole.Modes["TRAIN"]; m.Seconds != m.Parts["data"]+m.Parts["forward"] || m.Steps != 10_000 {
		t.Errorf("the parts do not add up: %+v", m)
	}
}

func TestSpanAsJSON(t *testing.T) {
	for _, tt := range []struct {
		span Span
		text string
	}{
		{0, "0"}, {1, "0.000000001"}, {1_500_000_000, "1.5"}, {-2_000_000_001, "-2.000000001"},
		{123_456_789_123_456_789, "123456789.123456789"}, {-5, "-0.000000005"}, {100e9, "100"},
	} {
		b, err := json.Marshal(tt.span)
		if err != nil || string(b) != tt.text {
			t.Errorf("%d is %s (%v), want %s", tt.span, b, err, tt.text)
		}
		var back Span
		if err := json.Unmarshal(b, &back); err != nil || back != tt.span {
			t.Errorf("%s is %d (%v), want %d", b, back, err, tt.span)
		}
	}
	var s Span
	if err := json.Unmarshal([]byte("1.5e1"), &s); err != nil || s != 15e9 {
		t.Errorf("1.5e1 is %d, %v", s, err)
	}
	for _, bad := range []string{`"x"`, "1e300", "99999999999999"} {
		if err := json.Unmarshal([]byte(bad), &s); err == nil {
			t.Errorf("%s is taken for a length of time", bad)
		}
	}
}

// sampled is a sample a number of seconds after the beginning.
func sampled(at int, values ...any) *Sample {
	s := &Sample{Host: "here", Time: time.Unix(1000+int64(at), 0)}
	for i := 0; i < len(values); i += 2 {
		s.Values = append(s.Values, Scalar{Name: values[i].(string), Value: float64(values[i+1].(int))})
	}
	return s
}

func TestUseOfTheMachine(t *testing.T) {
	for _, tt := range []struct {
		name    string
		samples []*Sample
		job     float64
		want    string
	}{
		{name: "nothing"},
		{"two cores", []*Sample{sampled(0, "cpu/total", 99), sampled(1, "cpu/total", 40, "cpu/0", 1, "cpu/1", 2), sampled(2, "cpu/total", 62, "process/0/rss_bytes", 3_100_000_000)}, 2,
			"CPU 51 % of 2 cores, peak memory 3.1 GB, no GPU"},
		{"processes together", []*Sample{sampled(0, "cpu/total", 10, "process/0/rss_bytes", 300_000_000, "process/1/rss_bytes", 100_000_000), sampled(1, "cpu/total", 10, "process/0/rss_bytes", 350_000_000)}, 0,
			"CPU 10 %, peak memory 400 MB, no GPU"},
		{"children are in the job's memory", []*Sample{sampled(0, "cpu/total", 10, "process/0/rss_bytes", 300_000_000, "process/0/child/0/rss_bytes", 100_000_000, "job/rss_bytes", 450_000_000)}, 0, "CPU 10 %, peak memory 450 MB, no GPU"},
		{"a limit of the cgroup", []*Sample{sampled(0, "cpu/total", 10, "cpu/0", 1, "cpu/1", 1, "cpu/2", 1, "process/0/cores", 3, "cgroup/cpu_limit_cores", 2)}, 0, "CPU 10 % of 3 cores (the job may use 2), no GPU"},
		{"bound to one core for a moment", []*Sample{sampled(0, "cpu/total", 10, "cpu/0", 1, "cpu/1", 1, "process/0/cores", 1), sampled(1, "cpu/total", 10, "cpu/0", 1, "cpu/1", 1, "process/0/cores", 2), sampled(2, "cpu/total", 10)}, 0, "CPU 10 % of 2 cores, no GPU"},
		{"a longer interval counts for more", []*Sample{sampled(0, "cpu/total", 0), sampled(1, "cpu/total", 100), sampled(10, "cpu/total", 0)}, 0, "CPU 10 %, no GPU"},
		{"fewer cores than there are", []*Sample{sampled(0, "cpu/total", 10, "cpu/0", 1, "cpu/1", 1, "cpu/2", 1)}, 1.5, "CPU 10 % of 3 cores (the job may use 1.5), no GPU"},
		{"processes are hidden", []*Sample{sampled(0, "cpu/total", 10, "memory/used_bytes", 8_000_000_000)}, 0, "CPU 10 %, peak memory of the machine 8.0 GB, no GPU"},
		{"a GPU", []*Sample{sampled(0, "cpu/total", 10, "gpu/0/utilization", 0), sampled(1, "gpu/0/utilization", 87, "cpu/total", 10)}, 0, "CPU 10 %, GPU 87 %"},
		{"GPUs", []*Sample{sampled(0, "gpu/0/utilization", 80, "gpu/1/utilization", 90)}, 0, "2 GPUs 80 to 90 %"},
		{"nobody watched for an hour", []*Sample{sampled(0, "cpu/total", 50), sampled(1, "cpu/total", 50), sampled(3601, "cpu/total", 0)}, 0, "CPU 50 %, no GPU"},
		{"a sample comes twice", []*Sample{sampled(0, "cpu/total", 50), sampled(1, "cpu/total", 50), sampled(2, "cpu/total", 0), sampled(2, "cpu/total", 0), sampled(1, "cpu/total", 0)}, 0, "CPU 25 %, no GPU"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			use := MachineUse{JobCores: tt.job}
			for _, s := range tt.samples {
				use.Count(s)
			}
			if got := use.Text(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestGigabytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 312_400_000: "312 MB", 999_900_000: "1.0 GB", 3_140_000_000: "3.1 GB", 31_400_000_000: "31 GB", 2_000_000_000_000: "2.0 TB"} {
		if got := Gigabytes(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}

// A copy does not change with what it was taken of.
func TestCloneOfTheTime(t *testing.T) {
	cpu := 3.0
	was := &RunTime{Phases: map[string]Span{"training": 1}, Machine: &MachineUse{CPU: &cpu, GPUs: []GPUUse{{Number: 0}}}}
	was.Count(timed(Train, 1, 1))
	c := was.Clone()
	before, _ := json.Marshal(c)
	was.Count(timed(Train, 2, 1))
	was.Phases["training"] = 2
	was.Machine.Count(sampled(0, "cpu/total", 99, "gpu/0/utilization", 5))
	if after, _ := json.Marshal(c); !reflect.DeepEqual(before, after) || !strings.Contains(string(after), `"training":0.000000001`) {
		t.Errorf("the copy changed from %s to %s", before, after)
	}
	if (*RunTime)(nil).Clone() != nil {
		t.Error("a copy of nothing is something")
	}
}
