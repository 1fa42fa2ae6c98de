package slow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// checkReports is what one check says of a training: "severity share gain line", and its
// cause class where it is another one than the check's; "" nothing.
func checkReports(t *testing.T, check string, tr training) string {
	t.Helper()
	tr.cores = 2
	if tr.seconds == 0 {
		tr.seconds = 95
	}
	found, _ := judge(t, &slow.Training, tr)
	var got []string
	for _, v := range found {
		if v.Check != check {
			continue
		}
		text := fmt.Sprintf("%s %.2f %.1f", v.Severity, v.Share, v.Gain)
		if v.Where != nil {
			text += fmt.Sprintf(" %d", v.Where.Line)
		}
		if v.CauseClass != "" {
			text += " " + v.CauseClass
		}
		got = append(got, text)
	}
	return strings.Join(got, "; ")
}

// stepsWith are the parts of a step that computes, and of what it does besides.
func stepsWith(part rule.StepPart, seconds float64) map[rule.StepPart]float64 {
	parts := map[rule.StepPart]float64{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005}
	parts[part] += seconds
	return parts
}

const (
	pythonLib   = "/usr/lib/python3.12/"
	packagesLib = "/venv/lib/python3.12/site-packages/"
	deepcopy    = pythonLib + "copy.py:deepcopy"
)

// tooFew takes samples away.
func tooFew(d *rule.StackDetail) *rule.StackDetail {
	d.Samples = 150
	return d
}

func TestHousekeeping(t *testing.T) {
	const (
		parameter   = packagesLib + "torch/nn/parameter.py:__deepcopy__"
		reconstruct = pythonLib + "copy.py:_reconstruct"
		synchronize = packagesLib + "torch/cuda/__init__.py:synchronize"
		emptyCache  = packagesLib + "torch/cuda/memory.py:empty_cache"
		line        = user + ":train@33"
	)
	copies := stack(rule.OtherPart, 3, 0.4, parameter, deepcopy, reconstruct, deepcopy, line)
	for _, c := range []struct {
		name   string
		part   rule.StepPart // besides the usual ones, with 0.05 s
		gpu    float64
		stacks *rule.StackDetail
		want   string
	}{
		{"a copy in every step", rule.OtherPart, 0, stacks(copies, stack(rule.Forward, 3, 0, line)), "warning 0.48 1.9 33"},
		{"a copy in half of the time", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 2, 0, deepcopy, line), stack(rule.OtherPart, 2, 0, user+":log")), "info 0.24 1.3 33"},
		{"and the last one is let go of", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 2, 0, deepcopy, line), stack(rule.OtherPart, 1, 0, line), stack(rule.OtherPart, 1, 0, user+":log")), "warning 0.36 1.6 33"},
		{"what copies itself", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 3, 0, deepcopy, user+":State.__deepcopy__@8", deepcopy, line)), "warning 0.48 1.9 33"},
		{"a copy in the forward pass", rule.Forward, 0, stacks(stack(rule.Forward, 3, 0, deepcopy, user+":Net.forward@12"), stack(rule.Forward, 1, 0, user+":train")), "warning 0.50 2.0 12"},
		{"waits for a device that is idle", rule.OtherPart, 30, stacks(stack(rule.OtherPart, 3, 0, synchronize, line)), "warning 0.48 1.9 33 device-sync"},
		{"gives memory back", rule.OtherPart, 30, stacks(stack(rule.OtherPart, 3, 0, emptyCache, line)), "warning 0.48 0.0 33 device-sync"},

		{"waits for a device that is busy", rule.OtherPart, 96, stacks(stack(rule.OtherPart, 3, 0, synchronize, line)), ""},
		{"waits for a device that nobody watches", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 3, 0, synchronize, line)), ""},
		{"a function of the script has that name", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 3, 0, "/home/me/copy.py:deepcopy", line)), ""},
		{"a library copies for itself", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 3, 0, deepcopy, packagesLib+"torch/fx/graph_module.py:__deepcopy__", line)), ""},
		{"the items are copies", rule.WaitForData, 0, stacks(stack(rule.WaitForData, 3, 0, deepcopy, user+":Images.__getitem__", fetch, dataloader, line)), ""},
		{"a window met the copy of an epoch", rule.SaveCheckpoint, 0, stacks(copies, stack(rule.Forward, 1, 0, line)), ""},
		{"too few samples", rule.OtherPart, 0, tooFew(stacks(copies)), ""},
		{"other work", rule.OtherPart, 0, stacks(stack(rule.OtherPart, 3, 0, user+":log")), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkReports(t, "housekeeping", training{parts: stepsWith(c.part, 0.05), used: 1, gpu: c.gpu, stacks: c.stacks}); got != c.want {
				t.Errorf("reported %q, want %q", got, c.want)
			}
		})
	}
}
