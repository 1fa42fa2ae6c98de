"""Tensors that are not the usual float32 matrix, and the outputs of modules."""

import os
import subprocess
import sys

import collector

from vigil._torch import compat

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [["act", "output", 1], ["act", "input", 1], ["", "output", 1], ["", "input", 1]]


def _odd(trained):
    return trained(os.path.join(HERE, "odd_tensors.py"), modules=MODULES)


def test_odd_tensors(trained):
    done = _odd(trained)
    assert done.out == done.plain_out
    run = done.run
    step = run.mode(0)[5]
    infos = {t["name"]: t for t in run.infos.values()}
    assert infos["Odd_brain"]["dtype"] == "BF16" and len(step.tensors["Odd_brain"]) == 8
    assert infos["Odd_wave"]["dtype"] == "C64" and len(step.tensors["gradient/Odd_wave"]) == 32
    assert infos["Odd_integers"]["dtype"] == "I64" and step.values("Odd_integers", "q") == (0, 1, 2)
    assert infos["Odd_empty"]["shape"] == [0, 3]
    assert len(step.values("gradient/Odd_sparse.weight")) == 40
    assert len(step.tensors["Odd_scale"]) == 4
    assert "gradient/Odd_unused" not in step.tensors and "Odd_unused" in step.tensors


def test_row_major_order(trained):
    """A transposed parameter arrives in row-major order."""
    import torch

    run = _odd(trained).run
    torch.manual_seed(0)
    names = {}
    exec(open(os.path.join(HERE, "odd_tensors.py")).read().split("model = Odd()")[0], names)
    model = names["Odd"]()
    assert run.mode(0)[0].values("Odd_columns") == tuple(model.columns.detach().reshape(-1).tolist())


def test_outputs_of_modules(trained):
    run = _odd(trained).run
    step = run.mode(0)[5]
    found = sorted(n for n in step.tensors if "put_" in n)
    assert found == ["Odd_input_0", "Odd_output_0", "Odd_output_1", "act_input_0", "act_input_1", "act_output_0", "act_output_1"]
    info = run.info("act_output_1")
    assert (info["kind"], info["module"], info["module_type"], info["shape"]) == ("output", "act", "ReLU", [5, 4])
    assert step.values("Odd_output_1") == step.values("act_output_1")
    assert all(v >= 0 for v in step.values("act_output_0"))


def test_unfrozen_later(trained):
    """Gradients of what is unfrozen in mid-run are captured from then on."""
    run = _odd(trained).run
    assert any("gradient/Odd_late.weight" in s.tensors for s in run.mode(0)[11:])


def test_silent_without_training(trained):
    """What does not train never opens a session; it says what was seen when it ends."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="vg") as directory:
        agent = collector.Collector(os.path.join(directory, "s"))
        code = "import torch; m = torch.nn.Linear(2, 2); m(torch.zeros(1, 2)).sum().backward(); print(1)"
        done = collector.train(["-c", code], collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1"))
        assert done.stdout == "1\n" and done.stderr == "" and agent.runs == []
        assert agent.idle == ["backward() was called, but the weights were not updated (is there an optimiser, and is its step() called?)"]
        agent.die()


def test_import_brings_nothing_else():
    """Importing the hook after PyTorch imports our own modules only; bench/overhead measures how long that takes."""
    code = "import sys, torch; b = set(sys.modules); import vigil.torch, vigil._torch.tracker; print(*sorted(set(sys.modules) - b))"
    new = subprocess.check_output([sys.executable, "-c", code], env=collector.environment(VIGIL="0"), universal_newlines=True).split()
    assert [m for m in new if m.partition(".")[0] != "vigil" and m != "mmap"] == []


def test_memory_stays():
    """What a step frees is not given back to the kernel and taken again; a user's own setting is left alone."""
    code = (
        "import resource, torch; from vigil._torch import malloc_settings; print(malloc_settings.keep())\n"
        "def step(): return [torch.ones(3 << 20) for _ in range(6)]\n"
        "kept = step(); above = torch.ones(10); del kept\n"
        "for i in range(20):\n"
        "    if i == 10: before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    kept = step(); del kept\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 10)\n"
    )

    def run(code, **env):
        out = subprocess.check_output([sys.executable, "-c", code], env=collector.environment(VIGIL="0", **env), universal_newlines=True)
        return out.split()

    kept, faults = run(code)
    assert kept == "True" and int(faults) < 1000, faults  # the pages of a step are 18432
    code = "from vigil._torch import malloc_settings; print(malloc_settings.keep())"
    assert run(code) == ["True"]
    assert run(code, MALLOC_TRIM_THRESHOLD_="1000000") == ["False"]
    assert run(code, GLIBC_TUNABLES="glibc.malloc.trim_threshold=1000000") == ["False"]


ATTENTION = """
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
shown = []

class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.keys = nn.Linear(8, 8)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        weights = self.softmax(x @ self.keys(x).transpose(1, 2))
        shown.append(weights)
        return weights @ x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.own = Own()

    def forward(self, x):
        y, weights = self.attention(query=x, key=x, value=2 * x)
        shown.append(weights)
        return self.own(y)

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    optimizer.zero_grad()
    net(torch.randn(2, 5, 8)).pow(2).mean().backward()
    optimizer.step()
    for weights in shown:
        print(weights.detach().numpy().tobytes().hex())
    del shown[:]
"""


def test_attention_weights(trained, tmp_path):
    """Of PyTorch's attention they are the second output, of one written by hand the softmax's."""
    script = tmp_path / "attention.py"
    script.write_text(ATTENTION)
    done = trained(str(script), modules=[["attention", "input", 1], ["attention", "output", 1], ["own.softmax", "output", 1]])
    own = [bytes.fromhex(line) for line in done.plain_out.split()]
    steps = [s for s in done.run.mode(0) if "attention_output_1" in s.tensors]  # what modules give is seen when the model is known
    assert steps and len(own) == 6
    for s in steps:
        assert [s.tensors["attention_output_1"], s.tensors["own.softmax_output_0"]] == own[2 * s.mode_step : 2 * s.mode_step + 2]
    assert [done.run.info(n)["shape"] for n in ("attention_output_1", "own.softmax_output_0")] == [[2, 5, 5], [2, 5, 5]]
    step = steps[0]
    if not compat.HAS_KWARG_HOOKS:  # PyTorch 1.13 does not show keyword arguments to hooks
        assert not any(name.startswith("attention_input") for name in step.tensors)
        return
    assert step.values("attention_input_2") == tuple(2 * v for v in step.values("attention_input_0"))  # given by keyword
