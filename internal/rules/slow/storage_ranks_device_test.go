package slow_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// machine shows the same numbers all the time.
func machine(values map[string]float64) func(float64) map[string]float64 {
	return func(float64) map[string]float64 { return values }
}

func TestDiskBound(t *testing.T) {
	loads := parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.WaitForData: 0.05}
	reads := map[string]float64{"psi/io": 40, "process/0/children_read_per_s": 60e6, "process/0/read_per_s": 2e6}
	with := func(name string, v float64) map[string]float64 {
		out := map[string]float64{}
		for n, x := range reads {
			out[n] = x
		}
		out[name] = v
		return out
	}
	for _, c := range []struct {
		name string
		training
		want string
	}{
		{"batches come from the disk", training{parts: loads, series: machine(reads)}, "data_wait; disk_bound warning 2.0 The training waits for storage 40 % of its time, from which it reads 62 MB a second"},
		{"nothing is read", training{parts: loads, series: machine(map[string]float64{"psi/io": 40})}, "data_wait"},
		{"storage keeps up", training{parts: loads, series: machine(with("psi/io", 5))}, "data_wait"},
		{"batches are ready", training{parts: parts{rule.Forward: 0.05, rule.Backward: 0.05, rule.WaitForData: 0.002}, series: machine(reads)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.used, c.loader = 1, &slow.Loader{Workers: 2}
			if got := says(t, c.training, "disk_bound"); got != c.want {
				t.Errorf("it says\n%q, want\n%q", got, c.want)
			}
		})
	}
}

func TestCommunication(t *testing.T) {
	waits := func(seconds float64) parts {
		return parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005, rule.WaitForRanks: seconds}
	}
	always := func(p parts) func(int64) parts { return func(int64) parts { return p } }
	for _, c := range []struct {
		name         string
		chief, other parts
		want         string
	}{
		{"all wait", waits(0.045), waits(0.04), "communication info 0.0 All ranks wait for each other 40 % of the time."},
		{"one hardly waits", waits(0.045), waits(0.002), ""},
		{"nobody waits long", waits(0.004), waits(0.004), ""},
		{"alone", waits(0.045), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := training{parts: parts{}, used: 1, peculiar: peculiar{more: func(int64, float64) parts { return c.chief }}}
			if c.other != nil {
				tr.ranks = map[string]func(int64) parts{"worker_1": always(c.other)}
			}
			if got := says(t, tr, "communication"); got != c.want {
				t.Errorf("it says\n%q, want\n%q", got, c.want)
			}
		})
	}
}

func TestIdleDevice(t *testing.T) {
	compute := parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.01, rule.OtherPart: 0.005}
	for _, c := range []struct {
		name string
		training
		want string
	}{
		{"small kernels", training{parts: compute, used: 1, gpu: 30}, "idle_device info 0.0 The GPU waits for the script 62 % of the time, within forward, backward and the optimiser"},
		{"the GPU is busy", training{parts: compute, used: 1, gpu: 90}, ""},
		{"no GPU", training{parts: compute, used: 1}, ""},
		{"it waits for data", training{parts: parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.WaitForData: 0.2}, used: 1, gpu: 20}, "data_wait"},
		{"no core is busy", training{parts: compute, used: 0.3, gpu: 30}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := says(t, c.training, "idle_device"); got != c.want {
				t.Errorf("it says\n%q, want\n%q", got, c.want)
			}
		})
	}
}
