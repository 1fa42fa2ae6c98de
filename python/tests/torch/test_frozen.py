"""What the facts say of what is frozen or averaged (small_frozen.py)."""

import os

import pytest
from with_and_without_vigil import train_each

from vigil._torch import compat

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture(scope="module")
def trainings():
    return train_each(os.path.join(HERE, "small_frozen.py"))


def last(run):
    """The facts of the training that a run ends with."""
    return (run.facts.get("trainings") or [{"facts": run.facts}])[-1]["facts"]


@pytest.mark.parametrize(
    "name, module, part",
    [
        ("frozen_body_averages", "0.1", "0"),
        ("frozen_body_averages_in_an_optimiser", "0.1", "0"),
        ("frozen_body_averages_beside_its_head", "body.1", "body"),
        ("frozen_at_random", "0.1", "0"),
    ],
)
def test_frozen_normalisation_that_averages(trainings, name, module, part):
    (one,) = last(trainings[name])["parameters"]["averaged"]
    assert (one["module"], one["part"], one["momentum"], one["batches"]) == (module, part, 0.1, 8)
    assert one["began"] == (1 if name == "frozen_at_random" else 61 if "beside" in name else 49)
    assert one["distance"] > 0.3 and one["ratio"] < 1


@pytest.mark.parametrize("name", ["frozen_body_in_eval", "frozen_body_in_eval_by_itself", "momentum_encoder_averages"])
def test_frozen_normalisation_that_does_not(trainings, name):
    assert "averaged" not in last(trainings[name])["parameters"]


def test_frozen_parts_in_evaluation_mode(trainings):
    parts = last(trainings["frozen_body_in_eval"])["eval_parts"]
    assert parts["frozen"] == parts["modules"] == ["0.1"]
    trained = last(trainings["frozen_body_in_eval_by_itself"])["eval_trained"]
    assert trained["frozen"] == trained["modules"] == ["1"]


@pytest.mark.parametrize(
    "name, optimiser, parameters",
    [
        ("thawed_and_in_no_optimiser", "Adam", ["Sequential_0.0.weight", "Sequential_0.0.bias"]),
        ("thawed_layer_by_layer", "SGD", ["Model_body.weight_ih_l0", "Model_body.weight_hh_l0", "Model_body.bias_ih_l0", "Model_body.bias_hh_l0"]),
    ],
)
def test_unfrozen_and_in_no_optimiser(trainings, name, optimiser, parameters):
    facts = trainings[name].facts["unfrozen"]
    assert (facts["names"], facts["parameters"], facts["held"], facts["optimiser"]) == (parameters, len(parameters), 27, optimiser)
    assert 20 <= facts["since"] < facts["at"] <= 60


def test_unfrozen_in_a_second_training(trainings):
    first, second = trainings["thawed_after_another_training"].facts, trainings["thawed_after_another_training"].facts["trainings"][-1]["facts"]
    assert "unfrozen" not in first
    assert second["unfrozen"]["names"] == ["Sequential_1_0.0.weight", "Sequential_1_0.0.bias"]


@pytest.mark.parametrize(
    "name", ["thawed_and_added", "thawed_with_a_new_optimiser", "thawed_and_held_from_the_start", "thawed_and_updated_by_the_script", "frozen_body_averages"]
)
def test_unfrozen_and_trained(trainings, name):
    assert "unfrozen" not in trainings[name].facts and "unfrozen" not in last(trainings[name])


@pytest.mark.parametrize(
    "name, kind, uses, updates, steps",
    [
        ("average_used_at_the_end_and_never_updated", "Sequential", 1, 0, 36),
        ("average_evaluated_in_training_and_never_updated", "Sequential", 3, 0, 36),
        ("average_of_a_part_never_updated", "Sequential", 6, 0, 36),
        ("average_updated", "Sequential", 1, 36, 36),
        ("average_updated_from_the_middle_on", "Sequential", 2, 15, 36),
    ],
)
def test_averages(trainings, name, kind, uses, updates, steps):
    if not compat.TELLS_OF_PARTS:
        assert "averages" not in trainings[name].facts  # nothing says that there is one
        return
    assert trainings[name].facts["averages"]["list"] == [{"class": kind, "uses": uses, "updates": updates, "steps": steps}]


def test_an_average_that_is_not_used(trainings):
    assert "averages" not in trainings["average_never_used"].facts
