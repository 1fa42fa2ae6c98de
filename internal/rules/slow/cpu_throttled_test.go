package slow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// computing are the parts of a step of a network that computes.
var computing = map[rule.StepPart]float64{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005}

// saidBy is what a check objects to: severity, share, gain and the message.
func saidBy(t *testing.T, check string, tr training) string {
	t.Helper()
	found, _ := judge(t, &slow.Training, tr)
	var all []string
	for _, v := range found {
		if v.Check == check {
			all = append(all, fmt.Sprintf("%s %.2f %.1f %s", v.Severity, v.Share, v.Gain, v.Message))
		}
	}
	return strings.Join(all, "; ")
}

func TestCPUThrottled(t *testing.T) {
	limit := func(cores, periods, waiting float64) func(float64) map[string]float64 {
		return func(float64) map[string]float64 {
			return map[string]float64{"process/0/cores": 8, "cgroup/cpu_limit_cores": cores, "cgroup/throttled_percent": periods, "cgroup/throttled_cores": waiting}
		}
	}
	for _, c := range []struct {
		name string
		training
		want string // "" or how the finding begins
	}{
		{"eight threads share the time of two cores", training{used: 2, series: limit(2, 100, 6)}, "warning 0.75 4.0 The job has to pause 75 % of the time, because its cgroup may use no more than 2 cores; by estimate the training would be 4.0 times as fast without that: from step to step 13.7 ms instead of 55 ms."},
		{"one thread has half a core", training{used: 0.5, series: limit(0.5, 100, 0.5)}, "warning 0.50 2.0 "},
		{"in every fifth period", training{used: 1.7, series: limit(2, 18, 2)}, "info 0.18 1.2 "},
		{"in few periods", training{used: 1.9, series: limit(2, 5, 1)}, ""},
		{"for a moment of each period", training{used: 1.9, series: limit(2, 100, 0.1)}, ""},
		{"a limit that is never reached", training{used: 1.9, series: limit(2, 0, 0)}, ""},
		{"no limit", training{used: 8}, ""},
		{"the GPU is the limit", training{used: 2, gpu: 96, series: limit(2, 100, 6)}, ""},
		{"only in the beginning", training{used: 2, seconds: 200, series: func(s float64) map[string]float64 {
			if s < 15 {
				return limit(2, 100, 6)(s)
			}
			return limit(2, 0, 0)(s)
		}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.parts, c.cores = computing, 8
			if c.seconds == 0 {
				c.seconds = 95
			}
			got := saidBy(t, "cpu_throttled", c.training)
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
