"""The losses of a sum, as programs with several heads write them: each with what it got."""

import itertools

import pytest
import torch
from torch.nn import functional as F

from vigil._torch import graph
from vigil._torch.labels import Labels
from vigil._torch.summary import Numbers

BODY, CLASSES, VALUE = torch.nn.Linear(8, 16), torch.nn.Linear(16, 5), torch.nn.Linear(16, 1)
X, KIND, SIZE, FLAGS = torch.randn(12, 8), torch.arange(12) % 5, torch.randn(12, 1), (torch.arange(24).reshape(12, 2) % 3 == 0).float()


def of(loss, calls=3):
    """The facts, the functions of the losses first, after some calls."""
    numbers = Numbers()
    labels = Labels(numbers)
    for _ in range(calls):
        h = torch.relu(BODY(X))
        outputs = CLASSES(h), VALUE(h)
        labels.backward(graph.base(loss(*outputs))[1], outputs)
    return labels.addends.gather(numbers.read()) or []


def functions(loss):
    return [a["function"] for a in of(loss)]


SUMS = {
    "functions": (lambda c, v: F.cross_entropy(c, KIND) + 0.5 * F.mse_loss(v, SIZE), ["cross_entropy", "mse_loss"]),
    "learned weights": (lambda c, v: torch.exp(-v.mean()) * F.cross_entropy(c, KIND) + F.smooth_l1_loss(v, SIZE) / 2 + v.mean(), ["cross_entropy", "smooth_l1_loss"]),
    "written out": (lambda c, v: F.nll_loss(F.log_softmax(c, 1), KIND) + ((v - SIZE) ** 2).mean(), ["cross_entropy", "mse_loss"]),
    "yes and no": (lambda c, v: F.cross_entropy(c, KIND) - (SIZE.gt(0) * torch.sigmoid(v).log() + SIZE.le(0) * (1 - torch.sigmoid(v)).log()).mean(), ["cross_entropy", "binary_cross_entropy_with_logits"]),
    "three": (lambda c, v: F.cross_entropy(c, KIND) + F.mse_loss(v, SIZE) + F.binary_cross_entropy_with_logits(c[:, :2], FLAGS), ["cross_entropy", "mse_loss", "binary_cross_entropy_with_logits"]),
    "one": (lambda c, v: 2 * F.cross_entropy(c, KIND), []),
    "one and a penalty": (lambda c, v: F.cross_entropy(c, KIND) + 1e-3 * BODY.weight.square().sum(), []),
    "two views": (lambda c, v: F.cross_entropy(c, KIND) + F.mse_loss(v, CLASSES(torch.relu(BODY(X))).mean(1, keepdim=True)), []),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums(name):
    loss, want = SUMS[name]
    assert functions(loss) == want


def test_what_each_got():
    first, second = of(lambda c, v: F.cross_entropy(c, KIND) + F.mse_loss(v.squeeze(1), SIZE))
    assert first["labels"]["range"] == [0, 4] and first["labels"]["shape"] == [12] and first["reduction"] == "mean"
    assert first["predictions"]["shape"] == [12, 5] and first["predictions"]["way"] == ["linear"] and first["predictions"]["steps"] == 3
    assert second["predictions"]["shape"] == [12] and second["predictions"]["label_shape"] == [12, 1]  # before they were stretched
    assert second["labels"]["loss"] == "mse_loss" and "masked" not in second


@pytest.mark.skipif(not hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata"), reason="this PyTorch does not tell shapes")
def test_written_out_and_stretched():
    _, second = of(lambda c, v: F.cross_entropy(c, KIND) + (v.squeeze(1) - SIZE).square().mean())
    assert second["predictions"]["shape"] == [12] and second["predictions"]["label_shape"] == [12, 1]


def test_what_came_before_a_loss():
    first, second = of(lambda c, v: F.cross_entropy(c.softmax(1), KIND) + F.binary_cross_entropy_with_logits(torch.sigmoid(c[:, :2]), FLAGS))
    assert first["predictions"]["way"] == ["softmax", "linear"] and first["predictions"]["classes"] == 5
    # PyTorch 1.13 cuts each axis by itself, also one that is taken whole.
    assert [name for name, _ in itertools.groupby(second["predictions"]["way"])] == ["sigmoid", "slice", "linear"]


def test_masks():
    first, second = of(lambda c, v: (F.cross_entropy(c, KIND, reduction="none") * FLAGS[:, 0]).sum() + F.mse_loss(v, SIZE))
    assert first["masked"] and first["reduction"] == "none" and "masked" not in second


def test_a_sum_that_changes_is_left_alone():
    turn = []

    def loss(c, v):
        turn.append(0)
        return F.cross_entropy(c, KIND) + (F.mse_loss(v, SIZE) if len(turn) % 2 else F.smooth_l1_loss(v, SIZE))

    assert of(loss) == []
