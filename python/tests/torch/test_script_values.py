"""Numbers and tensors that the script gives: at which step and in which mode they stand."""

import struct

import collector
import pytest

SCRIPT = """
import torch, vigil
import vigil.torch as vg
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
hook = vg.Hook()
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def loss():
    return model(torch.ones(3, 4)).pow(2).mean()

for i in range(6):
    hook.save_scalar("before", i)
    hook.save_tensor("ahead", torch.tensor([float(i)]))
    given = loss()
    hook.save_scalar("twice", i)
    hook.save_scalar("twice", i + 0.5)
    hook.save_tensor("inside", torch.full((2,), float(i)), collections=["one", "other"])
    hook.save_tensor("inside_int", [i, i + 1], collections="weights")
    hook.save_tensor("no tensor", object())
    hook.save_scalar("no number", [i, i])
    vigil.log({"counted": i}, step=100 + i)
    optimizer.zero_grad()
    given.backward()
    optimizer.step()
    hook.save_scalar("after", i)
    hook.save_tensor("behind", torch.tensor([float(i)]))
    hook.save_tensor("behind_large", torch.full((1 << 19,), float(i)))
    if i % 2:
        model.eval()
        with torch.no_grad():
            loss()
            hook.save_scalar("checked", i)
            hook.save_tensor("seen", torch.tensor([float(i)]))
        model.train()
hook.set_mode("predict")
loss()
hook.save_scalar("told", 7)
hook.save_tensor("told_tensor", torch.ones(1))
hook.set_mode("global")
loss()
hook.save_scalar("told", 8)
"""

TRAIN, EVAL, PREDICT, GLOBAL = range(4)


@pytest.fixture(scope="module")
def run(trained, tmp_path_factory):
    script = tmp_path_factory.mktemp("calls") / "calls.py"
    script.write_text(SCRIPT)
    return trained(str(script), schedule=collector.NEVER, data=8 << 20).run


def numbers(run, name):
    """[(mode, mode step, value)] of a number: of open steps, and of those that came between steps and belong to the last one."""
    ends = {s.number: s.mode_step for s in run.steps}
    own = [(s.mode, s.mode_step, s.scalars[name]) for s in run.steps if name in s.scalars]
    return sorted(own + [(mode, ends.get(number, number), value) for n, number, mode, value in run.free if n == name])


NUMBERS = {
    # between steps: of the step that was the last one at the call
    "scalar/before": [(TRAIN, 0, 0), (TRAIN, 0, 1), (TRAIN, 2, 3), (TRAIN, 4, 5), (EVAL, 0, 2), (EVAL, 1, 4)],
    "scalar/after": [(TRAIN, i, i) for i in range(6)],
    # within a step: the last word counts
    "scalar/twice": [(TRAIN, i, i + 0.5) for i in range(6)],
    "scalar/checked": [(EVAL, 0, 1), (EVAL, 1, 3), (EVAL, 2, 5)],
    "scalar/told": [(PREDICT, 0, 7), (GLOBAL, 10, 8)],
    # under the script's own count, and at the step besides
    "counted": [(TRAIN, i, i) for i in range(6)] + [(GLOBAL, 100 + i, i) for i in range(6)],
}


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_numbers_are_of_the_step_and_mode_of_their_call(run, name):
    assert numbers(run, name) == NUMBERS[name]


TENSORS = {
    "inside": ("f", [(TRAIN, i, (float(i), float(i))) for i in range(6)]),
    "inside_int": ("q", [(TRAIN, i, (i, i + 1)) for i in range(6)]),
    "seen": ("f", [(EVAL, 0, (1.0,)), (EVAL, 1, (3.0,)), (EVAL, 2, (5.0,))]),
    "told_tensor": ("f", [(PREDICT, 0, (1.0,))]),
}


LARGE = 1 << 19  # elements; it goes in pieces
BETWEEN = {  # after an evaluation's last forward its step is still open, so its values come within it
    "ahead": [(TRAIN, 0, 0), (TRAIN, 0, 1), (EVAL, 0, 2), (TRAIN, 2, 3), (EVAL, 1, 4), (TRAIN, 4, 5)],
    "behind": [(TRAIN, i, i) for i in range(6)],
    "behind_large": [(TRAIN, i, i) for i in range(6)],
}


@pytest.mark.parametrize("name", sorted(BETWEEN))
def test_tensors_between_steps_are_of_the_step_that_ended(run, name):
    """They open no step, neither a TRAIN step of their own nor in the place of an evaluation's."""
    count = LARGE if name.endswith("large") else 1
    came = [(mode, step, struct.unpack("<%df" % count, data)) for n, mode, step, data in run.between if n == name]
    came += [(s.mode, s.mode_step, s.values(name)) for s in run.steps if name in s.tensors]
    assert sorted((mode, step, values[0]) for mode, step, values in came) == sorted(BETWEEN[name])
    assert all(len(set(values)) == 1 for _, _, values in came)


def test_what_cannot_be_kept_is_told_once(run):
    assert [(m["name"], m["reason"], m["count"]) for m in run.missing if "no " in m["name"]] == [
        ("no tensor", "saved value of type object is not a tensor", 1),
        ("scalar/no number", "logged value of type list is not a number", 1),
    ]


def test_every_forward_and_update_has_its_step(run):
    assert [(s.mode, s.mode_step) for s in run.steps] == [
        (TRAIN, 0), (TRAIN, 1), (EVAL, 0), (TRAIN, 2), (TRAIN, 3), (EVAL, 1), (TRAIN, 4), (TRAIN, 5), (EVAL, 2), (PREDICT, 0), (GLOBAL, 10),
    ]  # fmt: skip
    assert [s.number for s in run.steps] == list(range(11))


@pytest.mark.parametrize("name", sorted(TENSORS))
def test_tensors_are_of_the_step_and_mode_of_their_call(run, name):
    """Whatever is due, with their values, in all the collections that the call names; those are asked for nothing."""
    format, want = TENSORS[name]
    assert [(s.mode, s.mode_step, s.values(name, format)) for s in run.steps if name in s.tensors] == want
    assert run.raw.count(name) == len(want)
    want = {"inside": ["one", "other"], "inside_int": ["weights"]}.get(name, [])
    assert [c for c in run.of("collection") if c["names"] == [name]] == [
        {"t": "collection", "name": one, "names": [name], "joins": True} for one in want
    ]
