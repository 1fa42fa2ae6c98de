package agent

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// between gives tensors before the first step, within steps and after each.
const between = `
import torch
import vigil.torch as vg
from torch import nn

hook = vg.Hook()
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
hook.save_tensor("first", torch.zeros(3))
for i in range(4):
    loss = model(torch.ones(3, 4)).pow(2).mean()
    hook.save_tensor("inside", torch.full((2,), float(i)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    hook.save_tensor("after", torch.full((2,), 10.0 + i))
    hook.save_tensor("after, too", torch.full((2,), 20.0 + i))
    with torch.no_grad():
        model(torch.ones(3, 4)).pow(2).mean()
`

// What the script saves between steps is stored with the step that ended, next to
// what came within it, and nobody waits for that step a second time.
func TestBetweenSteps(t *testing.T) {
	t.Parallel()
	set := settings(t)
	a := startAgent(t, set)
	cmd := exec.Command(testenv.Python(t), "-c", between)
	cmd.Env = append(cmd.Environ(), "VIGIL_SOCKET="+set.Socket, "PYTHONPATH="+filepath.Join(testenv.Root(), "python"), "VIGIL_STRICT=1", "OMP_NUM_THREADS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a.completed()
	tr := openTrial(t, set)
	all := []int64{0, 1, 2, 3}
	for name, want := range map[string][]float32{"first": {0, 0, 0}, "inside": {3, 3}, "after": {13, 13}, "after, too": {23, 23}} {
		steps := all
		if name == "first" {
			steps = all[:1]
		}
		if got := tr.RawSteps(name, record.Train, ""); !slices.Equal(got, steps) {
			t.Errorf("%s: values at the steps %v, want %v", name, got, steps)
		}
		if v, err := tr.Raw(name, record.Train, steps[len(steps)-1], ""); err != nil || !slices.Equal(v.Data, toBytes(want)) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		rows, err := tr.Stats(trial.Query{Tensor: name, Mode: record.Train})
		if err != nil || len(rows) != len(steps) || rows[len(steps)-1].Stats.Mean != float64(want[0]) {
			t.Errorf("%s: statistics %v, %v", name, rows, err)
		}
	}
	if got := tr.Steps(record.Train); !slices.Equal(got, all) {
		t.Errorf("TRAIN steps %v", got)
	}
	if got := tr.Steps(record.Eval); !slices.Equal(got, all) {
		t.Errorf("EVAL steps %v", got)
	}
	complete := 0
	if err := tr.Replay(func(c *record.Complete) error {
		complete++
		if len(c.Parts) != 1 || c.Parts[0].Free() {
			t.Errorf("%s step %d is complete with %v", c.Mode, c.ModeStep, c.Parts)
		}
		if c.Mode != record.Train {
			return nil
		}
		for name, want := range map[string]float64{"inside": 0, "after": 10, "after, too": 20} {
			there := slices.ContainsFunc(c.Parts[0].Stats, func(s record.TensorStats) bool { return s.Tensor == name && s.Mean == want+float64(c.ModeStep) })
			if !there || !slices.Contains(c.Parts[0].Raw, name) {
				t.Errorf("step %d is complete without %s: %+v, raw %v", c.ModeStep, name, c.Parts[0].Stats, c.Parts[0].Raw)
			}
		}
		return nil
	}); err != nil || complete != 8 {
		t.Errorf("%d complete steps, %v", complete, err)
	}
	if err := tr.Undecided(func(s *record.Step) error {
		if !s.Free() || s.Step > 0 { // what was given before the first step belongs to none
			t.Errorf("%s step %d was not decided on", s.Mode, s.ModeStep)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// blocked trains until it has to wait for a file: in the forward of step 6, or
// between the steps 5 and 6.
const blocked = `
import os, sys, time
import torch, vigil
import vigil.torch as vg
from torch import nn

where, gate = sys.argv[1:]

def wait(here):
    while here == where and not os.path.exists(gate):
        time.sleep(0.005)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 7:
            wait("in a step")
        return self.linear(x)

hook = vg.Hook()
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(8):
    loss = model(torch.ones(3, 4)).pow(2).mean()
    hook.save_scalar("within", i)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    vigil.log({"after": i})
    if i == 5:
        wait("between steps")
`

// A step is judged with what was given after it as soon as the next one begins,
// however long that takes, and when none begins after a while.
func TestStepsAreNotHeldForLong(t *testing.T) {
	for _, tt := range []struct {
		where, series string
		hold          time.Duration
	}{
		{"in a step", "after", time.Hour},
		{"between steps", "scalar/within", time.Millisecond},
	} {
		t.Run(tt.where, func(t *testing.T) {
			before := holdTime
			t.Cleanup(func() { holdTime = before })
			holdTime = tt.hold
			set := settings(t)
			set.Config.Rules = "none"
			set.Config.Rule = []config.RuleConfig{{Rule: "high", Configuration: "high", Params: map[string]string{"expression": `series("` + tt.series + `").last() > 4.5`}}}
			a := startAgent(t, set)
			gate := filepath.Join(t.TempDir(), "gate")
			cmd := exec.Command(testenv.Python(t), "-c", blocked, tt.where, gate)
			cmd.Env = append(cmd.Environ(), "VIGIL_SOCKET="+set.Socket, "PYTHONPATH="+filepath.Join(testenv.Root(), "python"), "VIGIL_STRICT=1", "OMP_NUM_THREADS=1")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wait(t, "the finding", func() bool {
				return slices.ContainsFunc(a.list(), func(e live.Event) bool { return e.Finding != nil && e.Finding.ModeStep == 5 })
			})
			if err := os.WriteFile(gate, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			a.completed()
		})
	}
}
