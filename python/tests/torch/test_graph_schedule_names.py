"""The parts by themselves: constant factors of losses, schedules, the budget, names."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil import _schedule as schedule
from vigil._torch import graph, names


def freed(loss):
    factor, node = graph.base(loss)
    return loss.item() / factor, node


@pytest.mark.parametrize(
    "scale",
    [
        lambda l: l,
        lambda l: l / 4,
        lambda l: l * 0.25,
        lambda l: 0.25 * l,
        lambda l: l * torch.tensor(65536.0),
        lambda l: (l / 4) * torch.tensor(1024.0),
        lambda l: (l / 3).double() * 2,
        lambda l: torch.tensor(8.0) * l.reshape(1),
    ],
)
def test_factors(scale):
    x = torch.randn(4, 3, requires_grad=True)
    loss = F.cross_entropy(x, torch.tensor([0, 1, 2, 0]))
    value, node = freed(scale(loss))
    assert value == pytest.approx(loss.item(), rel=1e-6)
    assert graph.name(node) == "cross_entropy"


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 7), (4, 3, 5, 2), (4, 3, 5, 2, 2)])
def test_cross_entropy_of_places(shape):
    x = torch.randn(*shape, requires_grad=True)
    assert graph.name(F.cross_entropy(x, torch.zeros(shape[:1] + shape[2:], dtype=torch.long)).grad_fn) == "cross_entropy"
    assert graph.name(F.nll_loss(-x.exp(), torch.zeros(shape[:1] + shape[2:], dtype=torch.long)).grad_fn) == "nll_loss"


def test_what_is_no_factor():
    x = torch.randn(8, requires_grad=True)
    w = torch.tensor(2.0, requires_grad=True)
    for loss in (x.mean() * w, -1.0 * x.mean(), 1.0 / (x * x).mean(), x.pow(2).sum() / 8, F.mse_loss(x, torch.zeros(8), reduction="sum") / 8):
        assert freed(loss)[0] == loss.item()
    # A mean by hand stays, the scaling around it goes.
    loss = x.pow(2).sum() / 8
    assert freed(loss * 1024)[0] == pytest.approx(loss.item())


COUNT = torch.tensor(6)
Y = torch.tensor([0, 1, -100, 2])  # three terms


@pytest.mark.parametrize(
    "what,parts,together",
    [
        ("one count for all, made beforehand", lambda l, y: l(y, "sum") / COUNT, True),
        ("and what a trainer divides by besides", lambda l, y: l(y, "sum") / COUNT / 1, True),
        ("the same as a number", lambda l, y: l(y, "sum") / 6, True),
        ("and weighted with another loss", lambda l, y: 0.9 * (l(y, "sum") / COUNT) + 0.1 * l(y, "mean"), True),
        ("its own count", lambda l, y: l(y, "sum") / (y != -100).sum(), False),
        ("its own count as a number", lambda l, y: l(y, "sum") / 3, False),
        ("some other number", lambda l, y: l(y, "sum") / 4, False),
        ("as many times more as there are micro-batches", lambda l, y: l(y, "sum") * 2 / 6, False),
        ("a mean", lambda l, y: l(y, "mean") / 2, False),
    ],
)  # fmt: skip
def test_sums_that_are_parts_of_one_mean(what, parts, together):
    x = torch.randn(4, 3, requires_grad=True)
    made = []
    for _ in range(2):
        loss = parts(lambda y, reduction: F.cross_entropy(x, y, reduction=reduction), Y)
        made.append(graph.share(graph.base(loss)[1]))
    assert graph.shares(made) == together, what


def test_a_factor_for_the_ranks_stays():
    x = torch.randn(4, 3, requires_grad=True)
    loss = F.cross_entropy(x, Y, reduction="sum") / COUNT * 2
    assert graph.base(loss)[0] == 2.0
    assert graph.base(loss, 2)[0] == 1.0
    assert graph.base(loss * 4, 2)[0] == 4.0


@pytest.mark.parametrize(
    "loss,name",
    [(lambda x: F.mse_loss(x, x.detach() + 1), "mse_loss"), (lambda x: F.smooth_l1_loss(x, x.detach() + 1) + x.pow(2).mean(), "smooth_l1_loss"),
     (lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).float()), "binary_cross_entropy_with_logits"),
     (lambda x: (x**2).mean(), "")],
)  # fmt: skip
def test_names_of_functions(loss, name):
    assert graph.name(loss(torch.randn(5, requires_grad=True)).grad_fn) == name


@pytest.mark.parametrize(
    "fields,n,auto,due",
    [
        (dict(every=10), 0, 1, 0), (dict(every=10), 1, 1, 10), (dict(every=0), 3, 5, 5), (dict(every=0), 3, 0, schedule.NEVER),
        (dict(every=10, start=15), 0, 1, 20), (dict(every=10, end=10), 1, 1, schedule.NEVER), (dict(every=10, end=11), 1, 1, 10),
        (dict(every=10, steps={7}), 1, 1, 7), (dict(off=True, steps={7}), 1, 1, 7), (dict(off=True, every=1), 1, 1, schedule.NEVER),
    ],
)  # fmt: skip
def test_next_due(fields, n, auto, due):
    full = dict(every=0, start=0, end=0, steps=frozenset(), off=False, yields=False)
    full.update(fields)
    assert schedule.next_due(full, n, auto) == schedule.next_due(full, n, auto, 5) == due
    if full["every"]:
        assert schedule.next_due(dict(full, yields=True), n, auto, 5) == schedule.next_due(dict(full, every=5 * full["every"]), n, auto)


# What the schedules 0 and 1 say of training, and the interval that is told: that of the budget is 10.
@pytest.mark.parametrize(
    "first,second,interval",
    [
        (dict(every=5), dict(every=25), 5), (dict(every=0), dict(every=5), 10), (dict(every=50), dict(off=True, steps={1}), 50),
        (dict(every=50), dict(every=1, start=30, end=50), 50), (dict(off=True), dict(off=True), 10),
    ],
)  # fmt: skip
def test_interval_told(first, second, interval):
    due = schedule.Due()
    due.used = [(i, [dict(dict(every=0, start=0, end=0, steps=frozenset(), off=False, yields=False), **fields)] * 4) for i, fields in enumerate((first, second, dict(every=2)))]
    due.ours = frozenset(i for i, s in due.used if not s[0]["every"] and not s[0]["off"])
    assert due.interval({0, 1}) == interval


def _run(auto, step, base, extra, n):
    for i in range(n):
        due = i % auto.interval == 0
        auto.add(step, (base + (extra if due else 0)) * 1e9, schedule.OURS if due else schedule.NOTHING)
    return auto.interval


@pytest.mark.parametrize("step,base,extra", [(1e-3, 10e-6, 60e-6), (30e-3, 20e-6, 3e-3), (30e-3, 20e-6, 100e-6), (1.0, 20e-6, 5e-3), (1e-3, 30e-6, 1e-3)])
def test_interval_holds_the_budget(step, base, extra):
    auto = schedule.Auto(0.02)
    interval = _run(auto, step, base, extra, 3000)
    room = max(0.02 * step - base, 0.1 * 0.02 * step)
    assert extra / interval <= 1.1 * room
    assert interval in schedule.SERIES
    assert _run(auto, step, base, extra, 1000) == interval  # and stays
    if interval > 1:
        smaller = schedule.SERIES[schedule.SERIES.index(interval) - 1]
        assert extra / smaller > 0.8 * room


@pytest.mark.parametrize("before,after", [(0.04, 0.002), (0.1, 0.005), (0.02, 0.001), (0.002, 0.04), (1.0, 0.05)])
@pytest.mark.parametrize("capture", [200e-6, 1e-3, 4e-3])
def test_a_training_that_becomes_another(before, after, capture):
    """The length of a step changes twenty-fold: after fifty steps captures are back inside the budget, above what every step costs."""
    auto, base, taken = schedule.Auto(0.02), 20e-6, 0.0
    _run(auto, before, base, capture, 2000)
    due_next = 2000
    for i in range(2000, 3000):
        due = i >= due_next
        own = base + (capture if due else 0)
        if auto.add(after, own * 1e9, schedule.OURS if due else schedule.NOTHING) or due:
            due_next = (i // auto.interval + 1) * auto.interval
        if i >= 2050:
            taken += own
    assert taken <= 0.025 * 950 * after
    assert due_next - i <= auto.interval  # and captures go on


def test_what_rules_capture_counts():
    """Captures at an interval that a rule names take from the budget of the others."""
    auto = schedule.Auto(0.02)
    for i in range(4000):
        due = schedule.OURS if i % auto.interval == 0 else schedule.FIXED if i % 25 == 5 else schedule.NOTHING
        auto.add(1e-3, (2e-6 + (0, 300e-6, 200e-6)[due]) * 1e9, due)
    room = 0.02 * 1e-3 - 2e-6 - 300e-6 / 25
    assert 200e-6 / auto.interval <= 1.2 * room
    assert auto.interval <= 100


@pytest.mark.parametrize("capture,stride", [(0.18, 50), (0.05, 10), (0.004, 1)])
def test_what_rules_capture_on_a_device_yields(capture, stride):
    """What arrives late of captures at a rule's interval takes half of the budget at most; later, when it is cheap, the interval is as it was."""
    auto, step = schedule.Auto(0.02), 0.03

    def run(first, n, capture):
        taken = 0.0
        for i in range(first, first + n):
            due = i % (25 * auto.stride) == 0
            auto.add(step, 20e3, schedule.FIXED if due else schedule.NOTHING)
            if due:
                auto.late(schedule.FIXED, capture)
                taken += capture
        return taken / n

    run(0, 400, capture)
    assert run(400, 10000, capture) <= 1.1 * 0.5 * 0.02 * step
    assert auto.stride == stride
    run(10400, 20000, 1e-4)
    assert auto.stride == 1


def test_the_beginning_is_seen_closely():
    """Captures are dense until they have taken CREDIT seconds, whatever the budget says."""
    auto = schedule.Auto(0.001)
    captures = 0
    for i in range(1000):
        due = i % auto.interval == 0
        captures += due
        auto.add(1e-3, 1e6 if due else 1e3, schedule.OURS if due else schedule.NOTHING)
    assert 50 <= captures <= 70


def test_names_without_wrappers():
    inner = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
    wrapped = nn.DataParallel(inner)
    assert names.unwrap(wrapped) is inner
    assert [p.path for p in names.parameters(wrapped)] == [p.path for p in names.parameters(inner)] == ["0.weight", "0.bias", "1.0.weight", "1.0.bias"]

    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.module = nn.Linear(1, 1)

    assert [p.path for p in names.parameters(Own())] == ["module.weight", "module.bias"]
