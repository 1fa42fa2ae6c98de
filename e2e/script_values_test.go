package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// given logs where scripts do: within steps, after the update, after an
// evaluation. A step is two micro-batches.
const given = `
import atexit, os, sys, time

ended = []

@atexit.register  # before PyTorch is imported, and so called last
def end():
    if ended:  # PyTorch 2.15 sometimes aborts a process that used gloo at its end, with or without Vigil: leave that out
        os._exit(0)

import torch, vigil
import vigil.torch as vg
from torch import nn

gate = sys.argv[1] if len(sys.argv) > 1 else None
rank = int(os.environ.get("RANK", 0))
hook = vg.Hook()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
if "WORLD_SIZE" in os.environ:
    torch.distributed.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
x = torch.randn(16, 4)
y = (x.sum(1) > 0).long()
for i in range(24):
    optimizer.zero_grad()
    for k in range(2):
        loss = criterion(model(x), y) / 2
        loss.backward()
        vigil.log({"micro": 10 * i + k})
        while i == 12 and gate and not os.path.exists(gate):
            time.sleep(0.005)
    optimizer.step()
    vigil.log({"after": 100 * rank + i, "loss": 7}, step=1000 + i)
    hook.save_scalar("metric", i, sm_metric=True)
    hook.save_tensor("kept", torch.full((3,), float(i)), collections_to_write="mine")
    if i % 8 == 7:
        model.eval()
        with torch.no_grad():
            for _ in range(2):
                criterion(model(x), y)
        model.train()
        vigil.log({"evaluated": i})
if "WORLD_SIZE" in os.environ:
    ended.append(True)
`

// givenRules fire at the last step only, by what was given after it.
var givenRules = []string{
	"--rules", "none",
	"--rule", `micro:expression=series("micro").last() >= 231`,
	"--rule", `after:expression=series("after").last() >= 23`,
	"--rule", `metric:expression=series("scalar/metric").last() >= 23`,
	"--rule", `kept:expression=tensors("kept", "mean").exists(t, t.last() >= 23)`,
	"--rule", `evaluated:expression=series("evaluated").in_mode("eval").last() >= 23`,
	"--rule", `own:expression=series("scalar/loss").last() >= 7 && series("loss").last() < 7`,
	"--rule", `always:expression=series("after").last() >= 0,max_findings=100`,
}

// line is what tail --json prints: a step or a finding.
type line struct {
	Step     int64                  `json:"step"`
	Mode     string                 `json:"mode"`
	ModeStep int64                  `json:"mode_step"`
	Scalars  map[string]json.Number `json:"scalars"`
	Finding  *record.Finding        `json:"finding"`
	Status   string                 `json:"status"`
}

func giving(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "train.py")
	if err := os.WriteFile(path, []byte(given), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a script gives after an update belongs to the step that this update has
// completed: for the rules, in the terminal and for scripts that read the run,
// while it goes on and when it is judged again.
func TestGivenAfterAStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	python := testenv.Python(t)
	o := run(t, dir, nil, slices.Concat([]string{binary, "run", "--name", "r"}, givenRules, []string{"--", python, giving(t, dir)})...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	tr := open(t, path)
	found := func(list []record.Finding) (out []string) {
		for _, f := range list {
			if f.Rule != "always" {
				out = append(out, fmt.Sprintf("%s %s %d", f.Rule, f.Mode, f.ModeStep))
			}
		}
		slices.Sort(out)
		return out
	}
	want := []string{"after TRAIN 23", "evaluated EVAL 5", "kept TRAIN 23", "metric TRAIN 23", "micro TRAIN 23", "own TRAIN 0"}
	if got := found(tr.Findings()); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	var again struct {
		Findings []record.Finding `json:"findings"`
	}
	decode(t, run(t, dir, nil, append([]string{binary, "check", path, "--json"}, givenRules...)...).stdout, &again)
	if got := found(again.Findings); !slices.Equal(got, want) {
		t.Errorf("found again %q, want %q", got, want)
	}

	var steps, trained []int64
	for text := range strings.Lines(run(t, dir, nil, binary, "tail", path, "--json").stdout) {
		var l line
		decode(t, text, &l)
		switch {
		case l.Finding != nil:
			if last := steps[len(steps)-1]; l.Finding.Step != last && l.Finding.Step < tr.Run().Steps["TRAIN"] {
				t.Errorf("a finding of step %d comes after step %d", l.Finding.Step, last)
			}
		case l.Status == "":
			steps = append(steps, l.Step)
			if l.Mode != "TRAIN" {
				continue
			}
			trained = append(trained, l.ModeStep)
			for name, want := range map[string]int64{"after": l.ModeStep, "scalar/metric": l.ModeStep, "micro": 10*l.ModeStep + 1, "scalar/loss": 7} {
				if got := l.Scalars[name].String(); got != fmt.Sprint(want) {
					t.Errorf("step %d has %s %s, want %d", l.ModeStep, name, got, want)
				}
			}
		}
	}
	if len(trained) != 24 || trained[0] != 0 || trained[23] != 23 {
		t.Errorf("tail prints the steps %v", trained)
	}

	const read = `
import sys
from vigil.trial import create_trial, modes
trial = create_trial(sys.argv[1])
for name in "after", "scalar/metric", "micro":
    t = trial.tensor(name)
    print(name, t.steps(mode=modes.TRAIN) == list(range(24)), t.value(23, mode=modes.TRAIN))
print("kept", trial.tensor("kept").value(23, mode=modes.TRAIN).tolist(), "kept" in trial.tensor_names(collection="mine"))
print("evaluated", trial.tensor("evaluated").steps(mode=modes.EVAL))
`
	py := run(t, dir, []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}, python, "-c", read, path)
	wantRead := "after True 23.0\nscalar/metric True 23.0\nmicro True 231.0\nkept [23.0, 23.0, 23.0] True\nevaluated [1, 3, 5]\n"
	if py.stdout != wantRead {
		t.Errorf("a script reads %q, want %q\n%s", py.stdout, wantRead, py.stderr)
	}
	if steps, _, err := tr.Series(trial.Query{Tensor: "after", Mode: record.Global}); err != nil || len(steps) != 24 || steps[0] != 1000 || steps[23] != 1023 {
		t.Errorf("under the script's own count: steps %v, %v", steps, err)
	}
}

// Each rank's values are with its part of the step.
func TestGivenByTwoRanks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	argv := []string{testenv.Python(t), "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", giving(t, dir)}
	if o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--"}, argv...)...); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	n := int64(0)
	err := open(t, filepath.Join(dir, "vigil-runs", "r")).Replay(func(c *record.Complete) error {
		if c.Mode != record.Train {
			return nil
		}
		if len(c.Parts) != 2 || c.ModeStep != n {
			t.Errorf("step %d has %d parts, after %d steps", c.ModeStep, len(c.Parts), n)
		}
		n++
		for rank, p := range c.Parts {
			i := slices.IndexFunc(p.Scalars, func(s record.Scalar) bool { return s.Name == "after" })
			if want := float64(100*rank) + float64(c.ModeStep); i < 0 || p.Scalars[i].Value != want {
				t.Errorf("step %d of %s has %v, want after %g", c.ModeStep, p.Worker, p.Scalars, want)
			}
		}
		return nil
	})
	if err != nil || n != 24 {
		t.Errorf("%d steps, %v", n, err)
	}
}

// A tail that begins when there are steps already prints all of them.
func TestTailFromTheFirstStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	job := command(ctx, dir, nil, slices.Concat([]string{binary, "run", "--name", "r"}, givenRules, []string{"--", testenv.Python(t), giving(t, dir), gate})...)
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	for {
		if tr, err := trial.Open(path); err == nil {
			n := len(tr.Steps(record.Train))
			tr.Close()
			if n >= 12 {
				break
			}
		}
		if ctx.Err() != nil {
			t.Fatal("the training made no 12 steps")
		}
		time.Sleep(10 * time.Millisecond)
	}
	tail := command(ctx, dir, nil, binary, "tail", path)
	out, err := tail.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tail.Start(); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for sc := bufio.NewScanner(out); sc.Scan(); {
		var clock string
		var step int64
		if n, _ := fmt.Sscanf(sc.Text(), "%s step %d", &clock, &step); n < 2 {
			continue
		}
		if got = append(got, step); step == 11 { // the last one before the gate
			if err := os.WriteFile(gate, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tail.Wait(); err != nil {
		t.Error(err)
	}
	if err := job.Wait(); err != nil {
		t.Error(err)
	}
	for i := range int64(24) {
		if int64(len(got)) <= i || got[i] != i {
			t.Fatalf("tail prints the steps %v", got)
		}
	}
}
