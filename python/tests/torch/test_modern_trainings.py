"""What is captured of the trainings in modern_trainings.py: bit-equal weights, and steps, losses, modules and tensors as they should be."""

import os
import sys

import modern_trainings
import pytest

from vigil._torch import saved_tensor_hooks

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [[path, side, 1] for path in ("block", "head", "") for side in ("input", "output")] + [["CrossEntropyLoss", "output", 1]]


@pytest.fixture(scope="module")
def cases(trained):
    """The run of every case by its name, with and without Vigil equal to the bit."""
    done = trained("today", argv=[sys.executable, os.path.join(HERE, "modern_trainings.py")], modules=MODULES, many=tuple(modern_trainings.CASES), limit=1800)
    rows = [line.split() for line in done.out.splitlines()]
    rows = [r for r in rows if len(r) == 3 and r[0] in modern_trainings.CASES]
    assert [r[0] for r in rows if r[2] != "0"] == [], done.err
    for name in modern_trainings.CASES:
        assert done.digest[name] is not None and done.digest[name] == done.plain_digest[name], name
    names = {int(pid): name for name, pid, _ in rows}
    found = {names[run.hello["pid"]]: run for run in done.runs if run.hello["pid"] in names}
    # A child of a case is a session of its own, which follows its parent's.
    pids = sorted(names)
    for run in done.runs:
        pid = run.hello["pid"]
        if pid not in names:
            found[names[max(p for p in pids if p < pid)] + "'s child"] = run
    return found


def known(rows):
    """Those of the cases that this release of PyTorch has."""
    return [pytest.param(*row, id=row[0]) for row in rows if row[0] in modern_trainings.CASES]


CHECKPOINTED = [name for name in modern_trainings.CASES if name.startswith("checkpoint")]


@pytest.mark.parametrize("case", CHECKPOINTED)
def test_computed_again_in_backward(cases, case):
    """Each module's tensors come once, from the forward; and so does the loss. A part that is computed again is no model of its own."""
    run = cases[case]
    assert [m["name"] for m in run.facts["models"]] == ["Net"]
    assert [s.mode for s in run.steps] == [0] * modern_trainings.STEPS
    inside = "all_and_loss" in case
    found = {"block_input_0", "block_output_0", "head_input_0", "head_output_0", "Net_input_0", "Net_output_0"}
    found |= {"Net_input_1", "CrossEntropyLoss_output_0"} if inside else set()
    for step in run.mode(0)[1:]:
        assert {n for n in step.tensors if "put_" in n} == found
        assert step.repeated == []
    assert all(isinstance(v, float) for v in run.series("loss")) or case.endswith("by_function")
    # Releases that do not say how a tensor was saved lose facts where a checkpoint saves in a way of its own, and say so; reentrant ones do not.
    told = [m["name"] for m in run.missing]
    assert told in ([[]] if saved_tensor_hooks._SAYS or case.endswith("reentrant") else [["facts of the graph"]] + [[]] * (case == "checkpoint_wrapper"))
    assert ("CrossEntropyLoss_output_0" in run.names("loss")) == inside
    assert "CrossEntropyLoss_output_1" not in run.names()
    assert run.notices == []


# Case, step of the change, parameters and modules' tensors that come with it, parameters that go.
REBUILT = [
    ("part_replaced", 8, set(), set()),
    ("part_replaced_by_another_shape", 8, set(), set()),
    ("parts_added", 8, {"Grown_extra.0.weight", "Grown_extra.0.bias", "Grown_scale"}, set()),
    ("part_taken_out", 8, set(), {"Net_stem.weight", "Net_stem.bias"}),
    ("parametrised_late", 8, {"Net_head.parametrizations.weight.original0", "Net_head.parametrizations.weight.original1"}, {"Net_head.weight"}),
    ("second_model_added", 12, {"Linear_weight", "Linear_bias"}, set()),
]


@pytest.mark.parametrize("case,change,new,gone", known(REBUILT))
def test_rebuilt_in_mid_training(cases, case, change, new, gone):
    """What comes late is captured from then on, with its gradients; what is taken out is captured no more, and said to be gone."""
    run = cases[case]
    steps = run.mode(0)
    assert [s.mode_step for s in steps] == list(range(2 * modern_trainings.STEPS))

    def parameters(step):
        return {n for n in step.tensors if "put_" not in n}

    before = parameters(steps[change - 1])
    after = (before | new | {"gradient/" + n for n in new}) - gone - {"gradient/" + n for n in gone}
    for step in steps[:change]:
        assert parameters(step) == before
    for step in steps[change:]:
        assert parameters(step) == after
        assert step.repeated == []
    told = {(m["name"], m["reason"]) for m in run.missing if m["reason"].startswith("removed")}
    assert told == {(n, "removed from the model") for n in gone}


@pytest.mark.parametrize("case", [r[0] for r in REBUILT if "replaced" in r[0] and r[0] in modern_trainings.CASES])
def test_replaced_part_is_the_one_that_trains(cases, case):
    """The values are those of the part that is there now: each update is its gradient."""
    run = cases[case]
    steps = run.mode(0)
    for a, b in zip(steps, steps[1:]):
        if b.mode_step == 8:
            continue
        w, g, after = (s.values(n) for s, n in ((a, "Net_head.bias"), (a, "gradient/Net_head.bias"), (b, "Net_head.bias")))
        assert after == pytest.approx([x - 0.1 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-7)
        assert any(g) and len(w) == (5 if case.endswith("shape") and a.mode_step >= 8 else 3)
    assert len(steps[8].values("head_output_0")) == 32 * len(steps[8].values("Net_head.bias"))


@pytest.mark.parametrize("case", [name for name in modern_trainings.CASES if "_anew" in name])
def test_rounds_go_on(cases, case):
    """With an optimiser in the place of one that is gone a round is a step, as before: both losses, and both models once."""
    run = cases[case]
    assert [(s.mode, s.mode_step) for s in run.steps] == [(0, n) for n in range(modern_trainings.STEPS)]
    for step in run.mode(0):
        assert all(isinstance(step.scalars.get(n), float) for n in ("loss", "loss/1")), step.mode_step
        assert step.repeated == []
    assert run.notices == []


# Case, and names of parameters that are captured, with the element type and the shape of each.
KINDS = [
    ("ensemble", {"SGD_param_0": ("F32", [3, 8, 6]), "SGD_param_3": ("F32", [3, 3])}),
    ("called_with_other_weights", {"Net_head.weight": ("F32", [3, 8])}),
    ("kinds_of_weights", {"Kinds_frozen": ("F8_E4M3", [6, 6]), "Kinds_narrow": ("BF16", [6, 6]), "Kinds_block.weight": ("F32", [4, 1, 3, 3])}),
    ("parameter_groups", {"Net_block.0.weight": ("F32", [8, 6]), "Net_stem.weight": ("F32", [6, 6])}),
    ("in_a_thread", {"Net_head.weight": ("F32", [3, 8])}),
    ("very_many_parameters", {"Many_small.%d" % i: ("F32", [4]) for i in range(0, 2000, 97)}),
]


@pytest.mark.parametrize("case,parameters", known(KINDS))
def test_other_kinds_of_training(cases, case, parameters):
    """One step per update, with a loss; every parameter with its values, and a gradient where it is trained."""
    run = cases[case]
    steps = run.mode(0)
    assert [s.mode_step for s in run.steps] == list(range(modern_trainings.STEPS)) and len(steps) == modern_trainings.STEPS
    assert all(isinstance(v, float) for v in run.series("loss"))
    for name, (dtype, shape) in parameters.items():
        info = run.info(name)
        assert (info["dtype"], info["shape"]) == (dtype, shape)
        for step in steps:
            assert name in step.tensors and ("gradient/" + name in step.tensors) == (not info.get("frozen"))
            assert step.repeated == []
    missing = {m["name"]: m["reason"] for m in run.missing if "no module" not in m["reason"]}
    if case == "kinds_of_weights":
        assert missing.pop("Kinds_absent.weight") == missing.pop("Kinds_absent.bias") == "meta tensor: it has no values"
        assert missing.pop("Kinds_output_1") == "quantised tensor"
    assert missing == {} and run.notices == []


def test_twenty_thousand_parameters(cases):
    """Each of them comes, with its gradient, and no value twice in a step."""
    run = cases["twenty_thousand_parameters"]
    assert [s.mode_step for s in run.steps] == [0, 1, 2]
    names = {"Many_small.%d" % i for i in range(20000)}
    names |= {"gradient/" + n for n in names}
    assert {n for n in run.names() if "put_" not in n and n not in ("loss", "training/learning_rate")} == names
    assert {n for step in run.mode(0) for n in step.tensors if "put_" not in n} == names
    assert [step.repeated for step in run.mode(0)] == [[]] * 3
    assert run.notices == []


def test_complex_and_sparse(cases):
    """Complex numbers come whole; a sparse gradient dense."""
    run = cases["complex_and_sparse"]
    assert run.info("Waves_wave")["dtype"] == "C64"
    assert [s.mode_step for s in run.steps] == list(range(modern_trainings.STEPS))
    for a, b in zip(run.mode(0), run.mode(0)[1:]):
        for name, size in (("Waves_wave", 2 * 48), ("Waves_words.weight", 40)):  # a complex number is two
            w, g, after = (s.values(n) for s, n in ((a, name), (a, "gradient/" + name), (b, name)))
            assert len(w) == len(g) == size and any(g)
            assert [abs(x - 0.1 * y - z) for x, y, z in zip(w, g, after)] == pytest.approx([0] * size, abs=1e-5)
    assert {m["reason"] for m in run.missing} <= {"no module of this name any more"} and run.notices == []


@pytest.mark.parametrize("case", ["closure_called_many_times", "updated_by_hand", "child_forked", "child_forked's child", "child_spawned", "child_spawned's child"])
def test_loops_of_other_kinds(cases, case):
    """An update is one step with one loss, whoever makes it, in whichever process; parameters and gradients come once in each."""
    run = cases[case]
    assert [m["name"] for m in run.facts["models"]] == ["Net"]
    assert [(s.mode, s.mode_step) for s in run.steps] == [(0, n) for n in range(modern_trainings.STEPS)]
    assert len(run.series("loss")) == modern_trainings.STEPS and all(isinstance(v, float) for v in run.series("loss"))
    names = {"Net_" + n for n, _ in modern_trainings.Net().named_parameters()}
    names |= {"gradient/" + n for n in names}
    # That somebody updates by hand is known after the first update.
    for step in run.mode(0)[case == "updated_by_hand" :]:
        assert {n for n in step.tensors if "put_" not in n} == names
        assert step.repeated == []
    assert run.missing == [] and run.notices == []


def test_plain_tensors_trained_by_hand(cases):
    """They are numbered; each update is a step with a loss, and its values are what the script computed with."""
    run = cases["plain_tensors_by_hand"]
    assert [(s.mode, s.mode_step) for s in run.steps] == [(0, n) for n in range(modern_trainings.STEPS)]
    assert len(run.series("loss")) == modern_trainings.STEPS and all(isinstance(v, float) for v in run.series("loss"))
    assert run.facts["models"] == run.facts["optimisers"] == [] and run.facts["step"] == "one update written by hand"
    names = {"parameter_0", "parameter_1", "parameter_2"}
    steps = run.mode(0)[1:]  # that somebody updates by hand is known after the first update
    for step in steps:
        assert {n for n in step.tensors if "put_" not in n} == names | {"gradient/" + n for n in names}
        assert step.repeated == []
    for a, b in zip(steps, steps[1:]):
        for name in names:
            w, g, after = (s.values(n) for s, n in ((a, name), (a, "gradient/" + name), (b, name)))
            assert any(g) and after == pytest.approx([x - 0.1 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-6)
    assert {m["reason"] for m in run.missing} <= {"no module of this name any more"} and run.notices == []


@pytest.mark.parametrize("case", ["gradients_returned_to_plain_tensors", "gradients_returned_to_a_module", "gradients_returned_for_an_optimiser"])
def test_gradients_that_grad_returns(cases, case):
    """torch.autograd.grad stands for backward where there is none: each update is a step with its loss, weights and gradients."""
    run = cases[case]
    assert [(s.mode, s.mode_step) for s in run.steps] == [(0, n) for n in range(modern_trainings.STEPS)]
    assert len(run.series("loss")) == modern_trainings.STEPS and all(isinstance(v, float) for v in run.series("loss"))
    names = {"parameter_0", "parameter_1"} if "plain" in case else {"Net_" + n for n, _ in modern_trainings.Net().named_parameters()}
    steps = run.mode(0)["optimiser" not in case :]
    for step in steps:
        assert {n for n in step.tensors if "put_" not in n} == names | {"gradient/" + n for n in names}
        assert step.repeated == []
    for a, b in zip(steps, steps[1:]):
        for name in names:
            w, g, after = (s.values(n) for s, n in ((a, name), (a, "gradient/" + name), (b, name)))
            assert any(g) and after == pytest.approx([x - 0.1 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-6)
    assert run.notices == []


def test_gradients_of_an_inner_loop(cases, trained):
    """Where backward follows, it alone says what the loss is, from the first step on."""
    run = cases["gradients_of_an_inner_loop"]
    assert [(s.mode, s.mode_step) for s in run.steps] == [(0, n) for n in range(modern_trainings.STEPS)]
    assert all(0 < v < 10 for v in run.series("loss")), run.series("loss")


WHOLE = {"up.weight": [8, 6], "up.bias": [8], "down.weight": [3, 8], "down.bias": [3]}
# Of each way to divide a model: what the parts of its parameters are on each rank: (shape, offset, placements).
DIVIDED = {
    "fsdp": {
        "up.weight": [([4, 6], [0, 0], ["S(0)"]), ([4, 6], [4, 0], ["S(0)"])],
        "up.bias": [([4], [0], ["S(0)"]), ([4], [4], ["S(0)"])],
        "down.weight": [([2, 8], [0, 0], ["S(0)"]), ([1, 8], [2, 0], ["S(0)"])],
        "down.bias": [([2], [0], ["S(0)"]), ([1], [2], ["S(0)"])],
    },
    "tensor": {
        "up.weight": [([4, 6], [0, 0], ["S(0)"]), ([4, 6], [4, 0], ["S(0)"])],
        "up.bias": [([4], [0], ["S(0)"]), ([4], [4], ["S(0)"])],
        "down.weight": [([3, 4], [0, 0], ["S(1)"]), ([3, 4], [0, 4], ["S(1)"])],
        "down.bias": [([3], [0], ["R"]), ([3], [0], ["R"])],
    },
}


# fully_shard is PyTorch 2.6's.
@pytest.mark.parametrize("way", sorted(DIVIDED) if modern_trainings.RELEASE >= (2, 6) else [])
def test_divided_between_processes(trained, way):
    """Each rank captures the part that it has, and says which part of what that is; nothing is gathered."""
    modules = [[path, "output", 1] for path in ("up", "act", "down", "")]
    done = trained(os.path.join(HERE, "sharded.py"), way, modules=modules, many=("0", "1"), limit=1800)
    assert None not in done.digest.values() and done.digest == done.plain_digest
    assert sorted(run.hello["rank"] for run in done.runs) == [0, 1]
    for run in done.runs:
        rank = run.hello["rank"]
        assert [m["name"] for m in run.facts["models"]] == ["Net"]
        assert [(m["path"], m["type"]) for m in run.of("modules")[0]["modules"]] == [("", "Net"), ("up", "Linear"), ("act", "ReLU"), ("down", "Linear")]
        steps = run.mode(0)
        assert [s.mode_step for s in run.steps] == list(range(12)) and len(steps) == 12
        assert all(isinstance(v, float) for v in run.series("loss"))
        for name, ranks in DIVIDED[way].items():
            shape, offset, placements = ranks[rank]
            for full in ("Net_" + name, "gradient/Net_" + name):
                info = run.info(full)
                assert info["shape"] == shape
                assert info["part"] == {"of": WHOLE[name], "offset": offset, "placements": placements}
            for a, b in zip(steps, steps[1:]):
                w, g, after = (s.values(n) for s, n in ((a, "Net_" + name), (a, "gradient/Net_" + name), (b, "Net_" + name)))
                assert after == pytest.approx([x - 0.1 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-7)
        for step in steps[1:]:
            assert {n for n in step.tensors if "put_" in n} == {"up_output_0", "act_output_0", "down_output_0", "Net_output_0"}
            assert step.repeated == []
        assert len(steps[1].values("up_output_0")) == 16 * (8 if way == "fsdp" else 4)
        assert not [n for n in run.names() if n.startswith("digest/")]  # ranks with different parts do not come apart
        assert run.missing == [] and run.notices == []


@pytest.mark.parametrize("way", ["flat"] if modern_trainings.RELEASE >= (2, 6) else [])
def test_flattened(trained, way):
    """FullyShardedDataParallel: each rank captures its part of the flattened parameters, it is said that nobody knows which, and ranks are not held against each other."""
    done = trained(os.path.join(HERE, "sharded.py"), way, many=("0", "1"), limit=1800)
    assert None not in done.digest.values() and done.digest == done.plain_digest
    assert sorted(run.hello["rank"] for run in done.runs) == [0, 1]
    for run in done.runs:
        assert [m["name"] for m in run.facts["models"]] == ["Net"]
        assert [(s.mode, s.mode_step) for s in run.steps] == [(0, n) for n in range(12)]
        assert all(isinstance(v, float) for v in run.series("loss"))
        assert set(run.names()) == {"Net__flat_param", "gradient/Net__flat_param", "loss", "training/learning_rate"}
        assert run.info("Net__flat_param")["shape"] == [42]  # of 83 numbers, and one to make the parts equal
        steps = run.mode(0)
        for a, b in zip(steps, steps[1:]):
            w, g, after = (s.values(n) for s, n in ((a, "Net__flat_param"), (a, "gradient/Net__flat_param"), (b, "Net__flat_param")))
            assert after == pytest.approx([x - 0.1 * y for x, y in zip(w, g)], rel=1e-5, abs=1e-7)
        assert [m["reason"].split(":")[0] for m in run.missing] == ["FullyShardedDataParallel flattens parameters"] and run.notices == []
