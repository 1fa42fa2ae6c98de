package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// Updates that the rounding of 16 bits takes away are not blamed on the learning rate.
// The same rate is too low where the weights are float32, with a loss scaler or without.
func TestSixteenBits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, kind, rate string
		check            string
		raise            bool
	}{
		{"bfloat16, some elements move", "bfloat16", "1e-4", "loss_not_decreasing/rounded_away", false},
		{"float32", "float32", "1e-4", "learning_rate/too_low", true},
		{"float16 computes, under a scaler", "scaled", "1e-4", "learning_rate/too_low", true},
		{"bfloat16, none moves", "bfloat16 apart", "1e-5", "not_updated/unchanged", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.kind == "scaled" && without("scaler") {
				t.Skip("VIGIL_TEST_WITHOUT names scaler: PyTorch has no loss scaler for the CPU")
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "train.py")
			if err := os.WriteFile(path, []byte(strings.NewReplacer("KIND", tt.kind, "RATE", tt.rate).Replace(smallUpdates)), 0o644); err != nil {
				t.Fatal(err)
			}
			o := run(t, dir, nil, binary, "run", "--rules", "default,experimental", "--name", "r", "--", testenv.Python(t), path)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			var checks []string
			for _, f := range open(t, filepath.Join(dir, "vigil-runs", "r")).Findings() {
				checks = append(checks, f.Rule+"/"+f.Check)
				if raise := slices.Contains(f.Asks, record.RaiseLearningRate); raise != tt.raise || raise == strings.Contains(f.Remedy, "float32") {
					t.Errorf("%s/%s asks for %v: %s", f.Rule, f.Check, f.Asks, f.Remedy)
				}
			}
			if !slices.Contains(checks, tt.check) {
				t.Errorf("found %v, want %s\n%s", checks, tt.check, o.stderr)
			}
		})
	}
}

// smallUpdates trains by small steps; weights that are apart from 0 lie so far from each
// other that rounding takes each of them away.
const smallUpdates = `import contextlib

import torch
from torch import nn

kind, rate = "KIND", RATE
torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(2000, 20)
y = (x @ torch.randn(20, 5)).argmax(1)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
if kind.endswith("apart"):
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(p.sign() * (0.5 + torch.rand_like(p)) * 0.1)
if kind.startswith("bfloat16"):
    model, x = model.bfloat16(), x.bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
scaler = torch.amp.GradScaler("cpu") if kind == "scaled" else None
for step in range(252):
    j = torch.randint(0, 2000, (64,))
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16) if scaler else contextlib.nullcontext():
        loss = nn.functional.cross_entropy(model(x[j]), y[j])
    if not scaler:
        loss.backward()
        optimizer.step()
    else:
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
`
