package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// spent is where the time went: milliseconds by part.
type spent map[string]float64

func (s spent) share(part string) float64 {
	total := 0.0
	for _, ms := range s {
		total += ms
	}
	return 100 * s[part] / max(total, 1e-9)
}

// differs says where a part's share differs by more than so many points.
func (s spent) differs(what string, want spent, points float64) (out []string) {
	for p := record.WaitForData; p < record.StepParts; p++ {
		if got, want := s.share(p.String()), want.share(p.String()); math.Abs(got-want) > points {
			out = append(out, fmt.Sprintf("%s: %s took %.1f %%, the script measured %.1f %%", what, p, got, want))
		}
	}
	if out != nil {
		out = append(out, fmt.Sprintf("%s: %v, the script measured %v", what, s, want))
	}
	return out
}

// agrees trains until nothing differs, at most four times: the script and Vigil read
// the clock one after the other, and on a busy machine another process may have the
// core in between. train gets the name of its run.
func agrees(t *testing.T, train func(name string) (differences []string)) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		differences := train(fmt.Sprintf("r%d", attempt))
		if differences == nil {
			return
		}
		if attempt == 4 {
			t.Error(strings.Join(differences, "\n"))
			return
		}
		t.Log(strings.Join(differences, "\n"))
	}
}

// stored sums up the step times of a worker, but for its first step, in which the
// model is found, by mode.
func stored(t *testing.T, tr *trial.Trial, worker string) map[record.Mode]spent {
	t.Helper()
	sums := map[record.Mode]spent{record.Train: {}, record.Eval: {}}
	var last time.Time
	err := tr.Times(worker, time.Time{}, time.Time{}, func(r *record.StepTime) error {
		if took := r.End.Sub(r.Start).Nanoseconds(); took != r.Total() {
			t.Errorf("step %d: the parts add up to %d of %d ns", r.Step, r.Total(), took)
		}
		if !last.IsZero() && !last.Equal(r.Start) {
			t.Errorf("step %d begins %v after the one before it ended", r.Step, r.Start.Sub(last))
		}
		last = r.End
		if r.Step > 0 {
			for p, ns := range r.Parts {
				sums[r.Mode][record.StepPart(p).String()] += float64(ns) / 1e6
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// Where the time goes is what a script measures that is instrumented by hand.
func TestStepTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "train.py")
	if err := os.WriteFile(path, []byte(sleeping), 0o644); err != nil {
		t.Fatal(err)
	}
	var o outcome
	var tr *trial.Trial
	agrees(t, func(name string) []string {
		o = run(t, dir, nil, binary, "run", "--name", name, "--", testenv.Python(t), path)
		if o.code != 0 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		var measured map[string]spent
		decode(t, o.stdout, &measured)
		tr = open(t, filepath.Join(dir, "vigil-runs", name))
		got := stored(t, tr, "")
		return append(got[record.Train].differs("training", measured["train"], 5), got[record.Eval].differs("evaluation", measured["eval"], 5)...)
	})
	checkTime(t, tr)
	if !regexp.MustCompile(`(?m)^  time      data \d+ %, forward \d+ %, .*backward \d+ %`).MatchString(o.stderr) {
		t.Errorf("the summary does not say where the time went:\n%s", o.stderr)
	}
	if sum := tr.Run().Time; sum.BatchSize != 2 || sum.SamplesPerSecond <= 0 || sum.Phases[record.StartUpPhase] <= 0 {
		t.Errorf("run.json has %+v", sum)
	}

	events, err := tr.Events(time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	checkpoints := 0
	for _, e := range events {
		switch e.Kind {
		case record.PhaseEvent:
			names = append(names, e.Name)
		case record.CheckpointEvent:
			checkpoints++
		case record.LoaderEvent:
			var f struct {
				Workers   *int `json:"workers"`
				BatchSize int  `json:"batch_size"`
			}
			if err := json.Unmarshal(e.Facts, &f); err != nil || f.Workers == nil || f.BatchSize != 2 {
				t.Errorf("a loader of %s, %v", e.Facts, err)
			}
		}
	}
	if got := fmt.Sprint(names); got != "[start-up training finishing]" || checkpoints != 12 {
		t.Errorf("phases %s, %d checkpoints", got, checkpoints)
	}
}

// A rank waits for the other ones where the script says so, and at the end of
// backward.
func TestStepTimesOfRanks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "train.py")
	if err := os.WriteFile(path, []byte(ranks), 0o644); err != nil {
		t.Fatal(err)
	}
	agrees(t, func(name string) (differences []string) {
		o := run(t, dir, nil, binary, "run", "--name", name, "--", testenv.Python(t), "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", path)
		if o.code != 0 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		tr := open(t, filepath.Join(dir, "vigil-runs", name))
		seen := 0
		for line := range strings.Lines(o.stdout) {
			var m struct {
				Rank  int
				Parts spent
			}
			if json.Unmarshal([]byte(line), &m) != nil {
				continue
			}
			seen++
			got := stored(t, tr, fmt.Sprintf("worker_%d", m.Rank))[record.Train]
			differences = append(differences, got.differs(fmt.Sprintf("rank %d", m.Rank), m.Parts, 10)...)
			if m.Rank == 0 && got.share("ranks") < 30 {
				differences = append(differences, fmt.Sprintf("rank 0 waited %.1f %% of the time", got.share("ranks")))
			}
		}
		if seen != 2 {
			t.Fatalf("%d ranks printed what they measured:\n%s", seen, o.stdout)
		}
		return differences
	})
}

const sleeping = `import collections, json, time, torch
from torch.utils.data import DataLoader, Dataset

class Numbers(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        time.sleep(0.02)
        return torch.full((3,), float(i % 5)), torch.tensor([float(i % 2)])

class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        time.sleep(0.03)
        return g

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, x):
        time.sleep(0.025)
        return Slow.apply(self.layer(x))

class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        time.sleep(0.02)
        return super().step(closure)

class File(object):
    def write(self, data):
        time.sleep(0.002)
        return len(data)

    def flush(self):
        pass

parts = {"train": collections.Counter(), "eval": collections.Counter()}
clock = time.perf_counter
def timed(mode, part, call, *args):
    began = clock()
    try:
        return call(*args)
    finally:
        parts[mode][part] += 1000 * (clock() - began)

torch.manual_seed(0)
net = Net()
optimiser = Optimizer(net.parameters(), lr=0.01)
criterion = torch.nn.MSELoss()
def train(x, y):
    optimiser.zero_grad()
    out = timed("train", "forward", net, x)
    loss = timed("train", "forward", criterion, out, y)
    timed("train", "backward", loss.backward)
    timed("train", "optimizer", optimiser.step)

ended = None
batches = timed("train", "data", iter, DataLoader(Numbers(), batch_size=2))
for n in range(12):
    x, y = timed("train", "data", next, batches)
    train(x, y)
    if n == 0:
        parts["train"].clear()
        began = clock()
    ended = clock()
    timed("train", "checkpoint", torch.save, net.state_dict(), File())
    time.sleep(0.02)
# What comes after the last step is no part of it.
parts["train"]["checkpoint"] *= 11 / 12
parts["train"]["other"] = 1000 * (ended - began) - sum(parts["train"].values())
net.eval()
began = ended
with torch.no_grad():
    batches = timed("eval", "data", iter, DataLoader(Numbers(), batch_size=2))
    for n in range(12):
        x, y = timed("eval", "data", next, batches)
        out = timed("eval", "forward", net, x)
        timed("eval", "forward", criterion, out, y)
        ended = clock()
parts["eval"]["checkpoint"] = parts["train"]["checkpoint"] / 11
parts["eval"]["other"] = 1000 * (ended - began) - sum(parts["eval"].values())
print(json.dumps(parts))
`

const ranks = `import collections, json, os, time, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)

class Late(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        time.sleep(0.06 * rank)
        return g

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, x):
        time.sleep(0.02)
        return Late.apply(self.layer(x))

parts = collections.Counter()
clock = time.perf_counter
def timed(part, call, *args):
    began = clock()
    out = call(*args)
    parts[part] += 1000 * (clock() - began)
    return out

net = DistributedDataParallel(Net())
optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
criterion = torch.nn.MSELoss()
for n in range(12):
    x, y = torch.randn(4, 3), torch.randn(4, 1)
    optimiser.zero_grad()
    loss = timed("forward", criterion, timed("forward", net, x), y)
    timed("backward", loss.backward)
    timed("optimizer", optimiser.step)
    if n == 0:
        parts.clear()
        began = clock()
    ended = clock()
    if n < 11:
        time.sleep(0.04 * rank)
        timed("ranks", dist.barrier)
if rank == 0:  # all but what it does itself is waiting for the other rank
    wait = max(parts["backward"] - 5 * 11, 0)
    parts["backward"] -= wait
    parts["ranks"] += wait
parts["other"] = 1000 * (ended - began) - sum(parts.values())
os.write(1, ("\n" + json.dumps({"rank": rank, "parts": parts}) + "\n").encode())  # at once: the other rank writes there, too
`
