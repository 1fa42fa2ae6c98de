package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// ownPython is a class that reads values, statistics and the loss, and
// remembers what it has seen.
const ownPython = `from vigil.rules import Rule, modes


class Wanders(Rule):
    def __init__(self, base_trial, factor=1.0):
        super().__init__(base_trial)
        self.factor = factor
        self.seen = []
        self.before = None

    def set_required_tensors(self, step):
        self.req_tensors.add("loss", steps=[step])

    def invoke_at_step(self, step):
        trial = self.base_trial
        loss = float(trial.tensor("loss").value(step))
        fired = bool(self.seen) and loss > self.factor * sum(self.seen[-20:]) / len(self.seen[-20:])
        self.seen.append(loss)
        weight = trial.tensor("Sequential_hidden.weight")
        if step in weight.steps():
            value = weight.value(step)
            assert value.shape == (64, 20) and value.dtype == "float32"
            assert abs(float(value.mean()) - weight.reduction_value(step, "mean")) < 1e-6
            if self.before is not None:
                self.finding("moved", subject="Sequential_hidden.weight", observed=abs(value - self.before).max(), severity="info",
                             context={"gradient": trial.tensor("gradient/Sequential_hidden.weight").reduction_value(step, "l2")})
            self.before = value
        if fired:
            self.finding("The loss %.6g is above what it was." % loss, subject="loss", observed=loss, check="above")
`

const ownPythonFile = `rules: none
every: 1
rule:
  - rule: wanders
    source: my_rules.py
    tensor_regex: ['^gradient/.*hidden.weight$', '^loss$']
    raw: ['^Sequential_hidden.weight$']
    parameters: {factor: 1.05}
`

// paced trains with noise, slowly enough to be followed.
const paced = `import sys
import time

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential()
model.add_module("hidden", nn.Linear(20, 64))
model.add_module("act", nn.ReLU())
model.add_module("out", nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    criterion(model(torch.randn(16, 20)), torch.randint(0, 5, (16,))).backward()
    optimizer.step()
    time.sleep(0.01)
`

// A rule in Python finds the same in a PyTorch training, live and when the run
// is judged again; also when the agent is killed meanwhile, which takes the
// rule's process with it.
func TestPythonRule(t *testing.T) {
	t.Parallel()
	for _, kills := range []int{0, 2} {
		t.Run(fmt.Sprintf("%d kills", kills), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"my_rules.py": ownPython, "vigil.yaml": ownPythonFile, "train.py": paced} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			steps := 60 + 240*kills
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			cmd := command(ctx, dir, nil, binary, "run", "--name", "own", "--", testenv.Python(t), "train.py", fmt.Sprint(steps))
			var output strings.Builder
			cmd.Stdout, cmd.Stderr = &output, &output
			cmd.WaitDelay = 10 * time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "vigil-runs", "own")
			for k := range kills {
				waitFor(t, "steps", func() bool {
					tr, err := trial.Open(path)
					if err != nil {
						return false
					}
					defer tr.Close()
					return len(tr.Steps(record.Train)) > 60+180*k
				})
				if err := syscall.Kill(agentPID(t, path), syscall.SIGKILL); err != nil && err != syscall.ESRCH {
					t.Fatal(err)
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("vigil run: %v\n%s", err, &output)
			}
			tr := open(t, path)
			above, moved := 0, 0
			for _, f := range tr.Findings() {
				switch f.Message {
				case "moved":
					moved++
				default:
					above++
				}
			}
			statuses := tr.Statuses()
			if above == 0 || moved < 40 || len(statuses) != 1 || statuses[0].Status != "IssuesFound" || statuses[0].Datapoints == 0 {
				t.Fatalf("%d steps: above %d times, moved %d times; %+v\n%s", steps, above, moved, statuses, &output)
			}
			again := run(t, dir, nil, binary, "check", "own", "--config", "vigil.yaml", "--json", "--fail-on", "never")
			live := run(t, dir, nil, binary, "findings", "own", "--json")
			var found [2]struct {
				Findings []record.Finding
				Rules    []record.RuleStatus
			}
			decode(t, live.stdout, &found[0])
			decode(t, again.stdout, &found[1])
			if a, b := text(t, found[0]), text(t, found[1]); a != b {
				t.Errorf("check finds something else\nlive:  %.3000s\ncheck: %.3000s\n%s", a, b, again.stderr)
			}
		})
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// No process of a rule outlives the agent, however that ends.
func TestPythonRuleLeavesNoProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"my_rules.py": "import os, subprocess\nfrom vigil.rules import Rule\n\n\nclass Mine(Rule):\n    def __init__(self, base_trial):\n        super().__init__(base_trial)\n" +
			"        child = subprocess.Popen(['sleep', '1000'])\n        open('pids', 'w').write('%d %d' % (os.getpid(), child.pid))\n\n    def invoke_at_step(self, step):\n        while step == 5: pass\n",
		"vigil.yaml": "rules: none\nrule:\n  - rule: mine\n    source: my_rules.py\n    max_seconds: 600\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, nil, binary, "run", "--name", "own", "--", testenv.Python(t), script("endless"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var worker, child int
	waitFor(t, "the rule's process", func() bool {
		b, _ := os.ReadFile(filepath.Join(dir, "pids"))
		n, _ := fmt.Sscanf(string(b), "%d %d", &worker, &child)
		return n == 2
	})
	path := filepath.Join(dir, "vigil-runs", "own")
	waitFor(t, "steps", func() bool {
		tr, err := trial.Open(path)
		if err != nil {
			return false
		}
		defer tr.Close()
		return len(tr.Steps(record.Train)) > 10
	})
	first := worker
	if err := syscall.Kill(agentPID(t, path), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the first rule's process to die with its agent", func() bool { return syscall.Kill(first, 0) == syscall.ESRCH })
	waitFor(t, "another rule's process", func() bool {
		b, _ := os.ReadFile(filepath.Join(dir, "pids"))
		n, _ := fmt.Sscanf(string(b), "%d %d", &worker, &child)
		return n == 2 && worker != first
	})
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil { // the launcher
		t.Fatal(err)
	}
	_ = cmd.Wait()
	_ = run(t, dir, nil, binary, "stop", path, "--wait", "0") // its end would be that of the rule
	if err := syscall.Kill(agentPID(t, path), syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		t.Fatal(err)
	}
	waitFor(t, "the rule's process to end", func() bool { return syscall.Kill(worker, 0) == syscall.ESRCH })
}
