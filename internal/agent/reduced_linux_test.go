package agent

import (
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// reductions sends tensors twice: their values, which the agent measures, and,
// under a second name, the statistics that the hook would compute on a device.
// The same operations run here on tensors of the CPU.
const reductions = `
import time

import torch
from vigil import _session
from vigil._torch import compat, device_statistics, parameter_frames

device_statistics.ROWS = 50  # several passes without large tensors
torch.manual_seed(0)
nan, inf = float("nan"), float("inf")
wide = torch.randn(200, 300)
tensors = {
    "f32": torch.randn(64, 5000), "f32 of one": torch.tensor([3.25]), "f32 without axes": torch.tensor(-2.0), "f32 empty": torch.zeros(0, 4),
    "f64": torch.randn(9000, dtype=torch.float64), "f64 huge": torch.randn(99, dtype=torch.float64) * 1e306,
    "bf16": torch.randn(77, 130).to(torch.bfloat16), "f16": torch.randn(12345).to(torch.float16), "f16 subnormal": torch.full((33,), 6e-8).to(torch.float16),
    "u8": torch.randint(0, 255, (5001,), dtype=torch.uint8), "i8": torch.randint(-128, 127, (100,), dtype=torch.int8),
    "i16": torch.randint(-30000, 30000, (100,), dtype=torch.int16), "i32": torch.randint(-9, 9, (8192,), dtype=torch.int32),
    "i64": torch.tensor([2**62 + 1, -(2**53) - 1, 0, 7]), "bool": torch.rand(4097) > 0.5,
    "transposed": wide.t(), "every second": wide[::2, 1::3], "channels last": torch.randn(8, 3, 32, 32).to(memory_format=torch.channels_last),
    "all equal": torch.full((70000,), 0.1), "zeros": torch.zeros(5000), "far from zero": torch.randn(50000) * 1e-4 + 1000,
    "large": torch.randn(20000) * 1e30, "small": torch.randn(20000) * 1e-30, "subnormal": torch.randn(9000) * 1e-42,
    "NaN and Inf": torch.where(torch.rand(30000) > 0.999, torch.tensor(nan), torch.randn(30000)).index_fill_(0, torch.tensor([5, 9000]), inf).index_fill_(0, torch.tensor([29999]), -inf),
    "a block of NaN": torch.cat([torch.full((4096,), nan), torch.randn(100)]), "nothing finite": torch.tensor([nan, inf, -inf]),
    "more than a pass": torch.randn(device_statistics.ROWS * device_statistics.WIDTH + 5000),
}
assert device_statistics.why_not(torch.zeros(2, dtype=torch.complex64)) is not None
session = _session.Session.connect("test", "1")
names, values = list(tensors), list(tensors.values())
def announce(suffix):
    return session.announce_tensors([
        {"name": n + suffix, "kind": "weight", "dtype": compat.DTYPE_NAMES[t.dtype], "shape": list(t.shape)} for n, t in tensors.items()])
raw, reduced = announce(""), announce(" reduced")
while not session.new_plan() or reduced[-1] not in session.plan.tensors:
    time.sleep(0.01)
session.ring.patience = 60.0
for id, t in zip(raw, values):
    parameter_frames.send(session, id, t, 0, (0, 0, 0))
recipe = device_statistics.Recipe(reduced, values)
numbers, counts = device_statistics.compute(recipe, values, torch.tensor(recipe.places()))
def copy(offset):
    data = recipe.head + numbers.numpy().tobytes() + counts.numpy().tobytes()
    assert len(data) == recipe.nbytes
    session.buffer[offset : offset + len(data)] = data
assert not session.dropped and session.reduced(recipe.count, device_statistics.WIDTH, recipe.nbytes, copy, 0, 0, 0)
session.step(0, 0, 0, 0.01, 0)
session.bye()
print("\n".join(names))
`

// What the hook computes of a tensor is what the agent computes of its values:
// counts, extremes and histogram exactly, the sums to what float32 blocks allow.
func TestReducedAsMeasured(t *testing.T) {
	t.Parallel()
	set := settings(t)
	set.Config.Rules = "none"
	a := startAgent(t, set)
	cmd := exec.Command(testenv.Python(t), "-c", reductions)
	cmd.Env = append(cmd.Environ(), "VIGIL_SOCKET="+set.Socket, "PYTHONPATH="+filepath.Join(testenv.Root(), "python"), "VIGIL_STRICT=1", "OMP_NUM_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a.completed()
	tr := openTrial(t, set)
	stats := func(name string) tensor.Stats {
		rows, err := tr.Stats(trial.Query{Tensor: name, Mode: record.Train})
		if err != nil || len(rows) != 1 || rows[0].Stats.Hist == nil {
			t.Fatalf("statistics of %q: %d rows, %v", name, len(rows), err)
		}
		return rows[0].Stats
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		t.Run(name, func(t *testing.T) {
			got, want := stats(name+" reduced"), stats(name)
			if *got.Hist != *want.Hist {
				t.Error("the histograms differ")
			}
			got.Hist, want.Hist = nil, nil
			near := func(what string, a, b *float64, bound float64) {
				if same := *a == *b || *a != *a && *b != *b; !same && !(math.Abs(*a-*b) <= bound) {
					t.Errorf("%s: %v reduced, %v measured", what, *a, *b)
				}
				*a, *b = 0, 0
			}
			near("mean", &got.Mean, &want.Mean, 1e-6*want.L1/float64(max(want.Finite(), 1)))
			near("M2", &got.M2, &want.M2, 2e-4*want.M2)
			near("L1", &got.L1, &want.L1, 1e-5*want.L1)
			near("min", &got.Min, &want.Min, 0)
			near("max", &got.Max, &want.Max, 0)
			if got != want {
				t.Errorf("%+v reduced, %+v measured", got, want)
			}
		})
	}
}
