package slow_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// debugging are facts of aids that were on in some of 40 backward passes.
func debugging(list ...rule.DebugAid) *rule.Facts {
	return &rule.Facts{Debugging: &rule.DebuggingFacts{Looked: 40, Aids: list}}
}

func aid(name string, passes, last int64) rule.DebugAid {
	return rule.DebugAid{Name: name, Passes: passes, Last: last}
}

func TestDebugAids(t *testing.T) {
	before := &slow.Before{Runs: 3, PerStep: 0.02, Most: 0.021}
	for _, c := range []struct {
		name  string
		facts *rule.Facts
		training
		want string
	}{
		{"anomaly detection", debugging(aid("anomaly", 40, 1600)), training{}, "info 0.91 0.0"},
		{"a profiler", debugging(aid("profiler", 24, 1650)), training{}, "info 0.91 0.0"},
		{"launches that wait", debugging(aid("launch_blocking", 40, 1700)), training{gpu: 40}, "info 0.91 0.0"},
		{"two of them", debugging(aid("anomaly", 40, 1600), aid("profiler", 40, 1600)), training{}, "info 0.91 0.0"},
		{"anomaly detection on a device that is busy", debugging(aid("anomaly", 40, 1600)), training{gpu: 96}, "info 0.91 0.0"},
		{"and slower than before", debugging(aid("anomaly", 40, 1600)), training{before: before}, "info 0.91 0.0"},

		{"nothing is known", nil, training{}, ""},
		{"in the first steps", debugging(aid("anomaly", 40, 60)), training{}, ""},
		{"now and then", debugging(aid("profiler", 12, 1650)), training{}, ""},
		{"one that came later than this check", debugging(aid("tracer", 40, 1600)), training{}, ""},
		{"launches that wait, and the device is the limit", debugging(aid("launch_blocking", 40, 1700)), training{gpu: 96}, ""},
		{"the network takes little", debugging(aid("anomaly", 40, 100)), training{parts: stepsWith(rule.WaitForData, 0.8)}, ""},
		{"too short", debugging(aid("anomaly", 40, 160)), training{seconds: 9}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.training.facts, c.used = c.facts, 1
			if c.parts == nil {
				c.parts = stepsWith(rule.OtherPart, 0)
			}
			if got := checkReports(t, "debug_aids", c.training); got != c.want {
				t.Errorf("reported %q, want %q", got, c.want)
			}
		})
	}
}

// What is to be removed is named.
func TestRemedyOfDebugAids(t *testing.T) {
	tr := training{parts: stepsWith(rule.OtherPart, 0), used: 1, cores: 2, seconds: 95, facts: debugging(aid("launch_blocking", 40, 1700), aid("anomaly", 40, 1600))}
	found, _ := judge(t, &slow.Training, tr)
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	const (
		message = "Forward and backward passes, which anomaly detection and CUDA_LAUNCH_BLOCKING slow down, take 91 % of the time."
		remedy  = "remove set_detect_anomaly(True) or detect_anomaly() of torch.autograd; remove CUDA_LAUNCH_BLOCKING from the environment"
	)
	if found[0].Message != message || found[0].Remedy != remedy {
		t.Errorf("message %q, want %q; remedy %q, want %q", found[0].Message, message, found[0].Remedy, remedy)
	}
}
