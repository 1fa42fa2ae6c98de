"""What is said of models that are wrapped, of copies that are next to what trains, of rates that are warmed up, and of several optimisers (small_beside.py)."""

import os

import pytest
import torch
from with_and_without_vigil import train_each

HERE = os.path.dirname(os.path.abspath(__file__))
pytestmark = pytest.mark.skipif(not hasattr(torch, "compile"), reason="of releases without torch.compile")

NET = ["Net_head.bias", "Net_head.weight", "Net_module.module.bias", "Net_module.module.weight"]
MODULES = [["", "Net"], ["head", "Linear"], ["module", "Block"], ["module.act", "ReLU"], ["module.drop", "Dropout"], ["module.module", "Linear"]]


@pytest.fixture(scope="module")
def trainings():
    return train_each(os.path.join(HERE, "small_beside.py"))


@pytest.mark.parametrize(
    "name",
    [
        "plain", "data_parallel", "distributed", "derived_from_distributed", "sharded", "compiled", "part_compiled", "all_parts_compiled",
        "compiled_in_distributed", "checkpointed", "averaged_itself",
    ],
)  # fmt: skip
def test_wrappers_leave_no_trace(trainings, name):
    run = trainings.get(name) or pytest.skip("does not run on this release's CPU")
    assert sorted(n for n in run.names() if n.startswith(("Net", "Block", "Linear"))) == NET
    assert [(m["name"], m["class"], m["parameters"]) for m in run.facts["models"]] == [("Net", "Net", 83)]
    network = run.facts.get("network") or {"modules": []}
    assert sorted([m["path"], m["type"]] for m in network["modules"]) == ([] if "compiled" in name else MODULES)
    parameters = run.facts.get("parameters") or {"list": []}
    assert sorted(p["name"] for p in parameters["list"]) == ([] if name == "sharded" else NET)


def test_a_wrapper_is_known_by_its_class(trainings):
    """A script's own class and parts that are called like a wrapper's keep their names."""
    run = trainings["own_names"]
    assert sorted(n for n in run.names() if n.startswith("DataParallel")) == [
        "DataParallel__orig_mod.bias", "DataParallel__orig_mod.weight", "DataParallel_module.bias", "DataParallel_module.weight",
    ]  # fmt: skip


NETS = [{"path": "beside", "of": "net", "class": "Net", "parameters": 83}]


@pytest.mark.parametrize(
    "name,parameters,trained,copies",
    [
        ("average", 83, 83, NETS),
        ("average_that_was_loaded", 83, 83, NETS),
        ("average_of_pytorch", 83, 83, NETS),
        ("target_network", 83, 83, NETS),
        ("target_that_is_held", 83, 83, NETS),
        ("frozen_layers", 147, 63, None),
        ("frozen_layers_that_began_alike", 147, 63, None),
        ("frozen_tower", 166, 83, None),
        ("forgotten_tower", 166, 166, None),
        ("wrong_copy", 166, 166, None),
    ],
)
def test_copies(trainings, name, parameters, trained, copies):
    facts = trainings[name].facts
    model = facts["model"]
    assert len(facts["models"]) == 1
    assert (model["parameters"], model["trained"], model.get("copies")) == (parameters, trained, copies)
    beside = [p["name"] for p in facts["parameters"]["list"] if ".beside." in p["name"] or "_beside." in p["name"]]
    assert bool(beside) == (name == "wrong_copy"), "a copy is none of the parameters of the training"


@pytest.mark.parametrize(
    "name,says",
    [
        ("average", "Task (83 parameters; beside is a copy of net that does not train) · "),
        ("part_called_alone", "Sequential (43 parameters) · SGD lr 0.1 · loss cross_entropy + mse_loss · "),
        ("frozen_layers", "Stack (63 of 147 parameters train) · "),
        ("no_schedule", "SGD lr 0.01 · "),
        ("warm_up_by_a_factor", "SGD lr 0.01, scheduled (warm-up) · "),
        ("warm_up_in_a_sequence", "SGD lr 0.01, scheduled (warm-up) · "),
        ("one_cycle", "SGD lr 0.05, scheduled (warm-up) · "),
        ("width_of_a_transformer", ", rising) · "),
        ("rate_by_hand", ", rising) · "),
        ("warm_up_that_is_over", "SGD lr 0.01, scheduled · "),
        ("decay", "SGD lr 0.01, scheduled · "),
        ("three_in_turn", "a step is one round of 3 optimisers: SGD, Adam, AdamW · "),
        ("three_apart", "a step is one round of 2 of 3 optimisers: SGD, AdamW · "),
        ("three_phases", "a step is one update by SGD, one of 3 optimisers · "),
    ],
)
def test_the_line(trainings, name, says):
    line = trainings[name].said
    assert says in line


def test_the_line_does_not_say_what_goes_without_saying(trainings):
    assert " · 4 weights and 4 gradients" in trainings["plain"].said and "a step is" not in trainings["plain"].said


@pytest.mark.parametrize(
    "name,to",
    [
        ("no_schedule", "no"),
        ("warm_up_by_a_factor", 0.01),
        ("warm_up_in_a_sequence", 0.01),
        ("one_cycle", 0.05),
        ("width_of_a_transformer", 1.0),
        ("rate_by_hand", None),
        ("warm_up_that_is_over", "no"),
        ("decay", "no"),
    ],
)
def test_warm_up(trainings, name, to):
    assert trainings[name].facts["optimisers"][0].get("warm_up", {"to": "no"}).get("to") == (pytest.approx(to) if type(to) is float else to)
