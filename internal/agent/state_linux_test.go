package agent

import (
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// keeping trains with Adam, waits once for the plan to know its state, and
// prints what Adam keeps at the end of step 8.
const keeping = `
import time
import torch
import vigil.torch as vg
from torch import nn

hook = vg.Hook()
torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for i in range(12):
    loss = model(torch.randn(3, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    session = hook._tracker.session
    while i == 0 and len((session._next_plan or session.plan).tensors) < 9:
        time.sleep(0.01)
    session.ring.patience = 60.0  # nothing is dropped on a busy machine
    if i == 8:
        for key in ("exp_avg", "exp_avg_sq"):
            print(key, optimizer.state[model.weight][key].numpy().tobytes().hex())
`

// What an optimiser keeps is stored as collections ask for it: raw, and as
// statistics, each at its own steps.
func TestOptimizerState(t *testing.T) {
	set := settings(t)
	set.Config.Collect = []plan.Collection{collect(t, `optimizer_variables:every=4,raw`), collect(t, `squares:every=2,regex=exp_avg_sq$`)}
	a := startAgent(t, set)
	cmd := exec.Command(testenv.Python(t), "-c", keeping)
	cmd.Env = append(cmd.Environ(), "VIGIL_SOCKET="+set.Socket, "PYTHONPATH="+filepath.Join(testenv.Root(), "python"), "VIGIL_STRICT=1", "OMP_NUM_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a.completed()
	tr := openTrial(t, set)
	if run := tr.Run(); len(run.Dropped) > 0 {
		t.Errorf("dropped %v", run.Dropped)
	}
	for key, steps := range map[string][]int64{"exp_avg": {0, 4, 8}, "exp_avg_sq": {0, 2, 4, 6, 8, 10}} {
		name := "Adam/Linear_weight/" + key
		if got := tr.RawSteps(name, record.Train, ""); !slices.Equal(got, []int64{0, 4, 8}) {
			t.Errorf("%s: values at the steps %v", name, got)
		}
		_, own, _ := strings.Cut(string(out), key+" ")
		own, _, _ = strings.Cut(own, "\n")
		if v, err := tr.Raw(name, record.Train, 8, ""); err != nil || hex.EncodeToString(v.Data) != own {
			t.Errorf("%s: %x, %v; the optimiser keeps %s", name, v.Data, err, own)
		}
		rows, err := tr.Stats(trial.Query{Tensor: name, Mode: record.Train})
		var got []int64
		for _, r := range rows {
			got = append(got, r.ModeStep)
		}
		if err != nil || !slices.Equal(got, steps) {
			t.Errorf("%s: statistics at the steps %v, %v", name, got, err)
		}
	}
	for _, info := range tr.Announced() {
		if strings.HasPrefix(info.Name, "Adam/") && (info.Kind != record.State || !slices.Contains(info.Collections, plan.OptimizerVariables)) {
			t.Errorf("announced: %+v", info)
		}
	}
}
