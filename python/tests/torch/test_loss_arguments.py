"""What losses were given, captured as labels and predictions whatever the loss is called."""

import pytest
from test_scripts import NEW

ROLES = [["", "label", 1], ["", "prediction", 1]]


def given(run, step=20):
    """name -> kind of what the step has of losses' arguments."""
    kinds = {t["name"]: t["kind"] for t in run.infos.values()}
    return {n: kinds[n] for n in run.mode(0)[step].tensors if kinds[n] in ("label", "prediction", "input")}


def test_module(trained):
    done = trained("mlp", modules=ROLES)
    run = done.run
    assert done.digest == done.plain_digest
    assert given(run) == {"CrossEntropyLoss_input_0": "prediction", "CrossEntropyLoss_input_1": "label"}
    info = run.info("CrossEntropyLoss_input_1")
    assert (info["dtype"], info["shape"], info["module"], info["module_type"]) == ("I64", [64], "CrossEntropyLoss", "CrossEntropyLoss")
    assert set(run.mode(0)[20].values("CrossEntropyLoss_input_1", "q")) <= set(range(5))
    assert len(run.mode(0)[20].values("CrossEntropyLoss_input_0")) == 64 * 5
    assert not any("_input_2" in n for n in run.names())


def test_one_role_alone(trained):
    assert given(trained("mlp", modules=ROLES[:1]).run) == {"CrossEntropyLoss_input_1": "label"}


def test_by_name(trained):
    """A pattern that fits the loss module's inputs finds them with their roles, and once."""
    run = trained("mlp", modules=[["CrossEntropyLoss", "input", 1]] + ROLES).run
    assert given(run) == {"CrossEntropyLoss_input_0": "prediction", "CrossEntropyLoss_input_1": "label"}
    assert not any(s.repeated for s in run.steps)


def test_function(trained):
    done = trained("transformer", modules=ROLES)
    assert done.digest == done.plain_digest
    assert given(done.run) == {"cross_entropy_input_0": "prediction", "cross_entropy_input_1": "label"}
    assert done.run.info("cross_entropy_input_1")["dtype"] == "I64"


def test_several_calls(trained):
    """Micro-batches and the parts of a GAN count on."""
    done = trained("gan", modules=ROLES)
    assert done.digest == done.plain_digest
    assert sorted(given(done.run)) == ["BCEWithLogitsLoss_input_%d" % i for i in range(6)]


def test_evaluation(trained):
    run = trained("validation", modules=ROLES).run
    assert all("CrossEntropyLoss_input_1" in s.tensors for s in run.mode(1)[-4:])


SCRIPT = """
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

class SmoothLoss(nn.Module):
    "A loss that has a loss inside, and one that is given no tensors."
    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss()
    def forward(self, logits, truth):
        return self.loss(logits, truth) * 0.9

class DictLoss(nn.Module):
    def forward(self, outputs):
        return F.cross_entropy(outputs["logits"], outputs["truth"])

class Twice(nn.ReLU):
    pass

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.gate = Twice()
        self.out = nn.Linear(8, 3)
    def forward(self, ids, scale=None):
        return self.out(self.gate(self.words(ids).mean(1) * scale))

net = Net()
optimizer = torch.optim.Adam(net.parameters())
smooth, from_dict = SmoothLoss(), DictLoss()
for i in range(24):
    ids, truth = torch.randint(0, 20, (16, 5)), torch.randint(0, 3, (16,))
    logits = net(ids, scale=torch.ones(16, 1))
    loss = smooth(logits, truth) if i < 12 else from_dict({"logits": logits, "truth": truth})
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_nested_and_typed(trained, write):
    """Of nested losses the outermost counts; modules are known by type under any name, inputs given as keywords too."""
    modules = ROLES + [["", "input", 1], ["words", "input", 1], ["gate", "output", 1]]
    run = trained(write(SCRIPT), modules=modules).run
    inputs = {"Net_input_0": "input", "words_input_0": "input"}
    if NEW:
        inputs["Net_input_1"] = "input"  # PyTorch 1.13 does not show keyword arguments
    assert given(run, 5) == dict(inputs, SmoothLoss_input_0="prediction", SmoothLoss_input_1="label")
    assert given(run, 20) == dict(inputs, cross_entropy_input_0="prediction", cross_entropy_input_1="label")
    assert run.info("words_input_0")["module_type"] == "Embedding"
    assert run.info("gate_output_0")["module_type"] == "ReLU"
    assert run.info("Net_input_0").get("module") == ""
    assert ("gate", "ReLU") in [(m["path"], m["type"]) for m in run.of("modules")[0]["modules"]]
    assert run.facts["labels"]["loss"] == "SmoothLoss" and run.facts["labels"]["range"] == [0, 2]


@pytest.mark.parametrize("script", ["mlp", "transformer"])
def test_nothing_unasked(trained, script):
    """Without a plan that asks, nothing of a loss is copied."""
    assert not any(t["kind"] in ("label", "prediction", "input") for t in trained(script).run.infos.values())
