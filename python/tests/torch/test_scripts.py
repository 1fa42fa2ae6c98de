"""Each training script: bit-equal weights, and steps, losses and names as they should be."""

import os
import re
import sys

import collector
import pytest
import torch

NEW = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 0)
HAS_CPU_SCALER = hasattr(torch.amp, "GradScaler")

# Script, root names, number of weights (with biases), gradients, TRAIN steps, EVAL steps.
SCRIPTS = [
    ("mlp", ["Net"], 4, 4, 40, 0),
    ("cnn_bn", ["ConvNet"], 10, 10, 40, 0),
    ("lstm", ["Tagger"], 7, 7, 40, 0),
    ("transformer", ["Encoder"], 28, 28, 40, 1),
    ("gan", ["Discriminator", "Generator"], 8, 8, 40, 0),
    ("accumulate", ["Sequential"], 4, 4, 40, 4),
    ("amp", ["Sequential"], 4, 4, 40, 0),
    ("lbfgs", ["Sequential"], 4, 4, 25, 0),
    ("handloss", ["Sequential"], 4, 4, 40, 0),
    ("handupdate", ["Sequential"], 4, 4, 40, 0),
    ("validation", ["Sequential"], 6 - 2, 4, 40, 16),
    ("frozen", ["Tuned"], 6, 2, 40, 0),
    ("shared", ["Tied"], 3, 3, 40, 0),
    ("teacher", ["Sequential"], 4, 4, 40, 0),
    ("fork", ["Sequential"], 4, 4, 40, 0),
    ("loader_workers", ["Sequential"], 4, 4, 40, 0),
]


@pytest.mark.parametrize("script,roots,weights,gradients,train,evals", SCRIPTS, ids=[s[0] for s in SCRIPTS])
def test_script(trained, script, roots, weights, gradients, train, evals):
    done = trained(script)
    assert done.digest is not None and done.digest == done.plain_digest
    assert _printed(done.out) == _printed(done.plain_out)
    run = done.run
    facts = run.facts
    assert [m["name"] for m in facts["models"]] == roots
    assert facts["tensors"] == {"weights": weights, "gradients": gradients}
    steps = run.mode(0)
    assert [s.mode_step for s in steps] == list(range(train))
    assert [s.mode_step for s in run.mode(1)] == list(range(evals))
    assert all(s.seconds is not None and s.seconds > 0 for s in steps)
    assert not any(s.repeated for s in run.steps)
    losses = run.series("loss")
    assert all(isinstance(v, float) for v in losses)
    expected = script_losses(done.out)
    if script not in ("gan",):
        for step, value in expected.items():
            assert losses[step] == pytest.approx(value, rel=1e-4, abs=2e-6)
    assert run.said and run.facts["models"][0]["class"] in run.said
    assert run.notices == []
    assert len(run.of("bye")) == 1


def _printed(out):
    return [line for line in out.splitlines() if line.startswith(("step", "loss", "validation"))]


def script_losses(out):
    return {int(m.group(1)): float(m.group(2)) for m in re.finditer(r"^step (\d+) loss ([\d.]+)$", out, re.M)}


def captured(run, step=0):
    return run.mode(0)[step].tensors


def test_names_and_kinds(trained):
    run = trained("mlp").run
    weight = run.info("Net_hidden.weight")
    assert (weight["kind"], weight["dtype"], weight["shape"], weight["module"], weight["module_type"]) == ("weight", "F32", [64, 20], "hidden", "Linear")
    assert run.info("Net_out.bias")["kind"] == "bias"
    assert run.info("gradient/Net_out.bias")["kind"] == "gradient"
    assert run.info("CrossEntropyLoss_output_0")["alias_of"] == "loss"
    assert run.info("CrossEntropyLoss_output_0")["module_type"] == "CrossEntropyLoss"
    assert run.series("loss") == run.series("CrossEntropyLoss_output_0")
    modules = [m for m in run.of("modules") if m["root"] == "Net"][0]["modules"]
    assert [(m["path"], m["type"]) for m in modules] == [("", "Net"), ("hidden", "Linear"), ("act", "ReLU"), ("out", "Linear")]


def test_update_is_gradient(trained):
    """Weights are those the gradients were computed at, gradients those the update used: w' = w - lr g for plain SGD."""
    run = trained("handupdate").run
    steps = [s for s in run.mode(0) if s.tensors]
    pairs = [(a, b) for a, b in zip(steps, steps[1:]) if b.number == a.number + 1]
    assert pairs
    for a, b in pairs:
        w, g, after = (x.values(n) for x, n in ((a, "Sequential_0.bias"), (a, "gradient/Sequential_0.bias"), (b, "Sequential_0.bias")))
        assert after == pytest.approx([x - 0.1 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-7)


def test_accumulated_gradient(trained):
    """In SGD with accumulation too, and the loss is freed of the division by N."""
    run = trained("accumulate").run
    steps = [s for s in run.mode(0) if s.tensors]
    pairs = [(a, b) for a, b in zip(steps, steps[1:]) if b.mode_step == a.mode_step + 1]
    assert pairs
    for a, b in pairs:
        w, g, after = (x.values(n) for x, n in ((a, "Sequential_0.bias"), (a, "gradient/Sequential_0.bias"), (b, "Sequential_0.bias")))
        assert after == pytest.approx([x - 0.2 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-7)
    assert run.series("CrossEntropyLoss_output_0") == pytest.approx(run.series("loss"), rel=1e-6)
    assert all(0 < v < 1.5 for v in run.series("loss", 1))


def test_gan(trained):
    run = trained("gan").run
    step = run.mode(0)[0]
    assert step.scalars["loss"] == pytest.approx(step.scalars["BCEWithLogitsLoss_output_0"] + step.scalars["BCEWithLogitsLoss_output_1"])
    assert step.scalars["loss/1"] == step.scalars["BCEWithLogitsLoss_output_2"]
    for i, value in script_losses(trained("gan").out).items():
        assert run.series("loss/1")[i] == pytest.approx(value, rel=1e-4)
    assert run.facts["step"].startswith("one round of 2 optimisers")
    assert [o["loss"] for o in run.facts["optimisers"]] == ["loss", "loss/1"]
    assert "Generator_main.0.weight" in step.tensors and "gradient/Discriminator_main.2.bias" in step.tensors
    assert [m["path"] for m in [m for m in run.of("modules") if m["root"] == "Generator"][0]["modules"]][:2] == ["Generator", "Generator.main"]


AFTER_EACH_OTHER = """
import torch
from torch import nn
torch.manual_seed(0)
kept = []
for _ in range(3):
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    kept.append(optimizer)
    for i in range(12):
        x = torch.rand(16, 6)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        loss.backward()
        print("loss %.6f" % loss.item())
        optimizer.step()
    with torch.no_grad():
        model.eval()(x)
"""


def test_trainings_after_each_other(trained, write):
    """Each update is a step, the first of a training too, while the optimisers before it live."""
    done = trained(write(AFTER_EACH_OTHER))
    steps = done.run.mode(0)
    assert [s.mode_step for s in steps] == list(range(36))
    losses = [[s.scalars[n] for n in s.scalars if n.startswith("loss")] for s in steps]
    assert [n for n in losses if len(n) != 1] == []
    assert [n[0] for n in losses] == pytest.approx([float(n) for n in re.findall(r"loss (\S+)", done.out)], rel=1e-5)
    assert [s.mode_step for s in done.run.mode(1)] == [0, 1, 2]


STUDENT = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
make = lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3))

def train(model, loss):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for i in range(12):
        x = torch.rand(16, 6)
        optimizer.zero_grad()
        value = loss(model, x, x[:, :3].argmax(1))
        value.backward()
        print("loss %.6f" % value.item())
        optimizer.step()
    return optimizer

def taught(model, x, y):
    output = model(x)
    with torch.no_grad():
        target = teacher.eval()(x).softmax(1)
    return F.cross_entropy(output, y) + F.cross_entropy(output, target)

teacher = make()
kept = train(teacher, lambda model, x, y: F.cross_entropy(model(x), y))
train(make(), taught)
"""


def test_student_of_a_trained_teacher(trained, write):
    """The teacher, a model that was trained before, is called within each step of the student's training."""
    done = trained(write(STUDENT))
    steps = done.run.mode(0)
    assert [s.mode_step for s in steps] == list(range(24))
    losses = [[s.scalars[n] for n in s.scalars if n in ("loss", "loss/1")] for s in steps]
    assert [n[0] for n in losses] == pytest.approx([float(n) for n in re.findall(r"loss (\S+)", done.out)], rel=1e-5)
    assert [t["facts"].get("eval_trained") for t in done.run.facts["trainings"]] == [None]


COMPILED = """
import torch
from torch import nn
torch.manual_seed(0)
plain = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3))
model = torch.compile(plain, backend="eager")
loss = nn.CrossEntropyLoss()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(4, 6), torch.randint(3, (4,))
for epoch in range(3):
    model.train()
    for _ in range(4):
        optimiser.zero_grad()
        loss(model(x), y).backward()
        optimiser.step()
    model.eval()
    with torch.no_grad():
        print("validation %.6f" % loss(model(x), y).item())
"""


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="no torch.compile")
def test_loss_of_evaluation_of_a_compiled_model(trained, write):
    """Where the model is compiled no global hook sees the loss module: it told of its buffer when it was made."""
    done = trained(write(COMPILED))
    assert done.run.series("loss", 1) == [pytest.approx(float(v), rel=1e-4) for v in re.findall(r"validation (\S+)", done.out)]


TASKS = """
import copy
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
meta = torch.optim.Adam(model.parameters(), lr=1e-3)
for task in range(60):
    learner = copy.deepcopy(model)
    inner = torch.optim.SGD(learner.parameters(), lr=0.01)
    for _ in range(2):
        x = torch.rand(8, 2)
        loss = F.mse_loss(learner(x), x.sum(1, keepdim=True))
        inner.zero_grad()
        loss.backward()
        inner.step()
    for p, q in zip(model.parameters(), learner.parameters()):
        p.grad = (p - q).detach()
    meta.step()
"""


def test_an_optimiser_for_every_task(trained, write):
    """Models are looked for a few times only."""
    run = trained(write(TASKS)).run
    told = [m["count"] for m in run.missing if "faster" in m["reason"]]
    assert told[0] == 1 and 40 <= sum(told) < 60 and len(told) == 2


def test_amp(trained):
    run = trained("amp").run
    skipped = [s.mode_step for s in run.mode(0) if s.skipped]
    assert skipped == ([1] if HAS_CPU_SCALER else [])
    # Gradients after unscaling and clipping at norm 5, not times 1024.
    for step in run.mode(0):
        norm = sum(v * v for n in step.tensors if n.startswith("gradient/") for v in step.values(n)) ** 0.5
        assert norm <= 5.001


def test_lbfgs_last_closure(trained):
    run = trained("lbfgs").run
    assert run.series("loss") == run.series("CrossEntropyLoss_output_0")
    assert len(captured(run)) == 8


def test_frozen(trained):
    run = trained("frozen").run
    assert run.info("Tuned_backbone.0.weight")["frozen"] is True
    assert "frozen" not in run.info("Tuned_head.weight")
    assert "gradient/Tuned_backbone.0.weight" not in run.names()
    assert "Tuned_backbone.1.weight" in captured(run)


def test_shared(trained):
    run = trained("shared").run
    assert run.info("Tied_out.weight")["alias_of"] == "Tied_embedding.weight"
    assert "Tied_out.weight" not in captured(run)
    assert "Tied_embedding.weight" in captured(run)


def test_validation(trained):
    run = trained("validation").run
    assert all(v is not None for v in run.series("loss", 1)) and run.series("loss", 1) == run.series("CrossEntropyLoss_output_0", 1)
    numbers = [(s.number, s.mode) for s in run.steps]
    assert numbers == [(i, 1 if i % 14 >= 10 else 0) for i in range(56)]
    assert all(not s.tensors for s in run.mode(1))


def test_returned_loss_in_evaluation(trained):
    run = trained("transformer").run
    printed = float(re.search(r"validation ([\d.]+)", trained("transformer").out).group(1))
    assert run.series("loss", 1) == [pytest.approx(printed, abs=1e-4)]
    assert run.facts["loss"]["function"] == "cross_entropy"


def test_teacher_is_no_root(trained):
    assert trained("teacher").run.mode(1) == []


def test_fork(trained):
    assert "child 7" in trained("fork").out


def test_error_of_the_script(trained):
    done = trained("raises")
    assert done.code == 1 and "ValueError: the script's own error" in done.err and "vigil" not in done.err.lower()
    assert len(done.run.mode(0)) == 25 and done.run.of("bye")


def test_os_exit(trained):
    done = trained("os_exit")
    assert done.code == 9
    assert len(done.run.mode(0)) == 25 and not done.run.of("bye")


def test_standard_input(trained):
    done = trained("input_script", input="25\n")
    assert len(done.run.mode(0)) == 25


def test_notebook(trained):
    """Two models of one class after each other continue one series."""
    run = trained("notebook").run
    assert len(run.mode(0)) == 50
    assert sorted(n for n in run.names("weight")) == ["Sequential_0.weight", "Sequential_2.weight"]
    assert "Sequential_0.weight" in run.mode(0)[49].tensors


def test_control(trained):
    done = trained("control")
    run = done.run
    assert done.digest == done.plain_digest
    assert run.raw == ["logits"]
    assert run.mode(0)[3].scalars["scalar/accuracy"] <= 1.0
    assert [v for n, _, _, v in run.free if n == "seen"] == [64.0 * (i + 1) for i in range(40)]
    assert len(run.mode(1)) == 4 and all(v is not None for v in run.series("loss", 1))
    assert run.of("collection")[0]["name"] == "first_layer"
    assert [m["name"] for m in run.facts["models"]] == ["Sequential"]


MANY = """
import threading, torch, vigil
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(8):
    loss = nn.functional.cross_entropy(model(torch.randn(16, 6)), torch.randint(3, (16,)))
    vigil.log({"open_%d" % k: i + k / 8 for k in range(40)})
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    vigil.log(dict({"between_%d" % k: k for k in range(8)}, text="x", loss=0.5))
    vigil.log({"own_%d" % k: k for k in range(8)}, step=i)
    other = threading.Thread(target=vigil.log, args=({"other_%d" % k: k for k in range(8)},))
    other.start()
    other.join()
"""


def test_many_numbers_travel_together(trained, write):
    """Those of one vigil.log are one record, inside a step and between steps, once the training thread is known."""
    run = trained(write(MANY)).run
    sets = [sorted({name.split("_")[0] for name in numbers}) for numbers in run.together]
    assert sets.count(["open"]) >= 6 and sets.count(["own"]) >= 6 and ["other"] not in sets
    for step in run.mode(0)[1:]:
        assert {n: v for n, v in step.scalars.items() if n.startswith("open")} == {"open_%d" % k: step.number + k / 8 for k in range(40)}
    assert [v for n, s, _, v in run.free if n == "between_3"] == [3.0] * 8
    assert [s for n, s, mode, v in run.free if n == "own_7" and mode == 3] == list(range(8))
    assert [s for n, s, mode, v in run.free if n == "own_7" and mode == 0] == list(range(8))
    # What the script calls loss is the loss of a step that has none; these have one.
    assert [v for n, _, _, v in run.free if n == "scalar/loss"] == [0.5] * 8 and not any(n == "loss" for n, _, _, _ in run.free)
    assert [v for n, _, _, v in run.free if n == "other_5"] == [5.0] * 8
    assert any(m["missing"][0]["name"] == "text" for m in run.of("missing"))


def test_own_sitecustomize(trained):
    script = os.path.join(collector.SCRIPTS, "own_sitecustomize")
    done = _with_path(trained, os.path.join(script, "train.py"), os.path.join(script, "site"))
    assert "own sitecustomize ran" in done.out
    assert len(done.run.mode(0)) == 40


def _with_path(trained, path, site):
    env = {"PYTHONPATH": os.pathsep.join([os.path.join(collector.PYTHON, "boot"), collector.PYTHON, site])}
    return trained("own_sitecustomize", argv=[sys.executable, path], env=env)


def test_ddp(trained):
    argv = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", os.path.join(collector.SCRIPTS, "ddp.py")]
    done = trained("ddp", argv=argv)
    assert done.digest is not None and done.digest == done.plain_digest
    assert sorted(r.hello["rank"] for r in done.runs) == [0, 1]
    assert all(r.hello["world"] == 2 for r in done.runs)
    digests = []
    for run in done.runs:
        assert len(run.mode(0)) == 40
        assert len(run.mode(1)) == 1
        assert all(v is not None for v in run.series("loss"))
        assert "Sequential_0.weight" in run.names()
        digests.append([v for v in run.series("digest/weights") if v is not None])
    assert digests[0] and digests[0] == digests[1]


@pytest.mark.parametrize("modules", [False, True], ids=["plain", "module_hooks_asked"])
def test_compiled(trained, modules):
    """One graph, no break; what is inside is said to be invisible. PyTorch 1.13 has no torch.compile and trains nothing here."""
    if not NEW:
        return
    done = trained("compiled", modules=[["1", "output", 1], ["", "output", 1]] if modules else [])
    assert done.digest == done.plain_digest
    assert "graphs 1\nbreaks 0" in done.out.replace("\r", "")
    assert "Using `torch.compile" not in done.err
    assert [m["name"] for m in done.run.facts["models"]] == ["Sequential"]
    assert len(done.run.mode(0)) == 40
    if modules:
        assert ("1", "inside torch.compile: its values are not visible") in [(m["name"], m["reason"]) for m in done.run.missing]
        assert "Sequential_output_0" in done.run.mode(0)[5].tensors
