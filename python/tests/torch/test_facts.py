"""What the facts say of small trainings (small_trainings.py), section by section."""

import collections
import os

import pytest
import torch
from with_and_without_vigil import train_each

from vigil._torch import compat
from vigil._torch.steps import TRAIN

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture(scope="module")
def trainings():
    """The run of every case by its name."""
    return train_each(os.path.join(HERE, "small_trainings.py"))


def at(facts, path):
    """A field by its path: graph.head, parameters.list.0.held."""
    for part in path.split("."):
        if facts is None:
            return None
        facts = facts[int(part)] if isinstance(facts, list) else facts.get(part)
    return facts


def gradients(facts):
    return [(p["name"].split("_", 1)[1], p["trained"], p["held"], p["gradient"], p["changed"]) for p in facts["parameters"]["list"]]


SHAPES_ARE_TOLD = hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata")
FACTS = {
    "probabilities_into_kl_div": {"graph.head": ["div", "sum", "kl_div", "softmax", "linear"], "graph.stretched": None},
    "own_loss_of_a_column": {
        "graph.head": ["mean", "pow", "clamp", "abs", "sub", "linear"],
        "graph.stretched": {"at": 4, "from": [32, 1], "to": [32, 32]} if SHAPES_ARE_TOLD else None,
    },
    "weights_of_samples_in_a_row": {
        "graph.head": ["mean", "mul", "huber_loss", "linear"],
        "graph.stretched": {"at": 1, "from": [32, 1], "to": [32, 32]} if SHAPES_ARE_TOLD else None,
    },
    "weights_of_samples_in_a_column": {"graph.head": ["mean", "mul", "huber_loss", "linear"], "graph.stretched": None},
    "term_by_a_function": {"labels.loss": "mse_loss", "predictions.way": ["tanh", "linear"]},
    "loss_of_nothing": {"graph.rootless": True, "graph.head": [], "graph.parts": 0, "updates.no_backward": 0, "parameters.list.0.gradient": "missing"},
    "squares_written_out": {
        "loss.function": "mse_loss",
        "labels.shape": [32],
        "labels.range": [0.0, 2.0],
        "predictions.shape": [32],
        "predictions.label_shape": [32],
    },
    "squares_of_every_pair": {
        "loss.function": "mse_loss",
        "labels.range": [0.0, 2.0],
        "predictions.shape": [32, 1],
        "predictions.label_shape": [32],
    },
    "magnitudes_written_out": {
        "loss.function": "l1_loss",
        "labels.range": [0.0, 2.0],
        "predictions.shape": [32, 1],
        "predictions.label_shape": [32, 1],
    },
    "end_as_padding": {"labels.unlabelled_end.token": 1, "labels.unlabelled_end.rows": 112, "labels.unlabelled_end.ended": 112, "labels.unlabelled_end.counted": 0},
    "end_beside_padding": {"labels.unlabelled_end": None, "labels.ends": None},
    "constant_loss": {
        "predictions.classes": 1,
        "updates.cleared": 0,
        "updates.no_backward": 0,
    },
    "healthy": {
        "loss.reduction": "mean",
        "loss.settings.label_smoothing": 0.1,
        "loss.settings.weight": False,
        "labels.mean": pytest.approx(1.0, abs=0.2),
        "labels.one_hot": None,
        "predictions.shape": [32, 3],
        "predictions.axis": 1,
        "predictions.classes": 3,
        "predictions.rows_sum_to_one": False,
        "predictions.log_rows": False,
        "predictions.one_class": False,
        "predictions.steps": 8,
        "predictions.label_shape": [32],
        "predictions.values.same_rows": False,
        "inputs.steps": 8,
        "inputs.distinct": 8,
        "inputs.features.features": 6,
        "inputs.features.constant": 0,
        "inputs.tensors.0.shape": [32, 6],
        "graph.complete": True,
        "graph.weighted": 2,
        "graph.non_linear": 1,
        "graph.reached": 4,
        "graph.unreached": None,
        "graph.parts": 1,
        "updates.steps": 8,
        "updates.kept": 0,
        "updates.cleared": 0,
        "updates.no_backward": 0,
        "updates.clip": None,
        "optimisers.0.groups.0.lr": 0.1,
        "optimisers.0.groups.0.momentum": 0.0,
        "optimisers.0.groups.0.strangers": 0,
        "optimisers.0.groups.0.parameters": 4,
        "parameters.updates": 9,
        "parameters.list.0.fan_in": 6,
        "parameters.list.0.first.elements": 48,
        "network.modules.1.type": "Linear",
        "network.modules.1.settings": {"in_features": 6, "out_features": 8, "bias": True},
        "network.modules.2.output.values.min": 0.0,
        "eval_trained": None,
        "evaluation": None,
    },
    "softmax_before_cross_entropy": {"graph.head": ["cross_entropy", "softmax", "linear"], "loss.function": "cross_entropy", "loss.reduction": "mean",
                                     "predictions.rows_sum_to_one": True, "predictions.log_rows": False, "predictions.shape": [32, 3]},
    "log_softmax_and_nll": {"graph.head": ["cross_entropy", "linear"], "predictions.log_rows": True, "predictions.rows_sum_to_one": False, "loss.module": "NLLLoss"},
    "raw_into_bce": {"graph.head": ["binary_cross_entropy", "sigmoid", "linear"], "predictions.classes": 1, "predictions.label_shape": [32, 1]},
    "weighed_classes": {"loss.settings.weight": True, "loss.settings.weights": [0.5, 0.25, 2.0]},
    "weighed_positives": {"loss.settings.pos_weight": True, "loss.settings.pos_weights": [0.125]},
    "sigmoid_before_bce_with_logits": {"graph.head": ["binary_cross_entropy_with_logits", "sigmoid", "linear"], "loss.settings.pos_weight": False},
    "broadcast_module": {"predictions.shape": [32, 1], "predictions.label_shape": [32]},
    "broadcast_function": {"predictions.shape": [32, 1], "predictions.label_shape": [32]},
    "expanded_on_purpose": {"predictions.shape": [32, 3], "predictions.label_shape": [32, 3]},
    "hand_written_loss": {"graph.head": ["mean", "pow", "sub", "linear"], "graph.non_linear": 1, "loss.function": "mse_loss", "loss.module": ""},
    "no_activation": {"graph.weighted": 3, "graph.non_linear": 0},
    "unreached": {"graph.unreached": ["Two_forgotten.weight", "Two_forgotten.bias"], "graph.reached": 2, "parameters.list.2.gradient": "missing",
                  "parameters.list.2.changed": False, "parameters.list.2.held": True},
    "first_model_without_gradients": {"network.modules.1.path": "Sequential_1.0", "inputs.tensors.0.shape": [32, 8], "inputs.steps": 7, "models.0.called": True,
                                      "graph.reached": 2, "graph.unreached": ["Sequential_0.weight", "Sequential_0.bias", "Sequential_2.weight", "Sequential_2.bias"]},
    "made_in_forward": {"parameters.anew": [{"operation": "linear", "shape": [3, 8]}], "parameters.outside": None},
    "perturbed_inputs": {"parameters.anew": None, "parameters.outside": None},
    "beside_the_model": {"parameters.loose": [{"shape": [], "parameter": True, "value": 0.5}, {"shape": [1], "parameter": False, "value": 2.0}]},
    "state_cut_and_last_used": {"network.modules.1.recorded": 5, "network.modules.1.in_graph": 1, "network.modules.1.states": 4, "network.modules.1.states_cut": 4,
                                "network.modules.1.states_cut_in_graph": 1, "network.modules.0.recorded": None, "parameters.loose": None},
    "state_cut_and_all_used": {"network.modules.1.recorded": 5, "network.modules.1.in_graph": 5, "network.modules.1.states": 4, "network.modules.1.states_cut": 4,
                               "network.modules.1.states_cut_in_graph": 4},
    "state_cut_once": {"network.modules.1.in_graph": 5, "network.modules.1.states": 4, "network.modules.1.states_cut": 1, "network.modules.1.states_cut_in_graph": 1},
    "acts_and_learns": {"network.modules.1.recorded": 1, "network.modules.1.states": 4, "network.modules.1.states_cut": 4, "network.modules.1.states_cut_in_graph": 0},
    "two_groups": {"parameters.list.0.lr": 0.0, "parameters.list.2.lr": 0.01, "parameters.list.0.changed": False, "parameters.list.0.updates": None},
    "other_model_held": {"optimisers.0.groups.0.strangers": 4},
    "never_zeroed": {"updates.kept": 7, "updates.cleared": 0},
    "cleared_before_step": {"updates.cleared": 7, "updates.no_backward": 0, "parameters.list.0.changed": False},
    "no_backward": {"updates.no_backward": 7, "updates.cleared": 0, "updates.kept": 0},
    "gradients_by_function": {"updates.no_backward": 0, "updates.cleared": 0, "updates.kept": 0, "graph.head": ["cross_entropy", "linear"], "parameters.list.0.gradient": "finite"},
    "accumulated": {"updates.kept": 0, "updates.cleared": 0, "updates.no_backward": 0, "graph.head": ["cross_entropy", "linear"], "graph.parts": 1, "inputs.steps": 8},
    "two_losses_of_one_kind": {"graph.head": ["cross_entropy", "linear"], "graph.parts": 2},
    "constant_batches": {"inputs.steps": 8, "inputs.distinct": 1, "inputs.features.constant": 1, "inputs.features.faint": None},
    "scaled_by_one_number": {"inputs.features.constant": 1, "inputs.features.faint": 3},
    "evaluated_in_training_mode": {"evaluation.training": ["1", "3"], "evaluation.kinds": ["dropout", "normalisation"], "evaluation.root_training": True, "evaluation.steps": 2, "evaluation.purpose": None},
    "evaluated_well": {"evaluation.training": None, "evaluation.root_training": False, "evaluation.statistics.0.module": "1"},
    "losses_of_several_shapes": {"predictions.shape": [32, 3, 2, 2]},
    "samples_of_a_posterior": {"evaluation.root_training": True, "evaluation.purpose": "samples"},
    "labels_that_are_guessed": {"evaluation.root_training": True, "evaluation.purpose": "targets"},
    "copies_evaluated_well": {"evaluation": None},  # a copy carries no hook, so its calls are not seen
    "asked_before_it_learns": {
        "evaluation.root_training": True,
        "evaluation.input.shape": [1, 6],
        "evaluation.purpose": None,
        "inputs.tensors.0.shape": [32, 6],
    },
    "statistics_made_anew": {"evaluation.training": None, "evaluation.root_training": False, "evaluation.steps": 2},
    "functional_dropout_in_evaluation": {"evaluation.functional_dropout": True, "evaluation.layer": "layer", "evaluation.input.shape": [16, 6], "evaluation.training": None},
    "warmed_up": {"schedule.initial": 0.5, "schedule.steps.0": 9, "graph.dropout": None, "graph.across_samples": None},
    "log_softmax_over_samples": {"graph.across_samples": True if hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata") else None, "graph.dropout": 0.5},
    "log_softmax_over_nodes_of_which_some_are_trained": {"graph.across_samples": True if hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata") else None},
    "log_softmax_over_classes_of_which_some_samples_are_trained": {"graph.across_samples": None},
    "log_softmax_over_samples_picked_by_label": {"graph.across_samples": True if hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata") else None},
    "log_softmax_over_samples_picked_by_index": {"graph.across_samples": True if hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata") else None},
    "log_softmax_over_candidates": {"graph.across_samples": None},
    "loss_of_two_views": {"labels.loss": "cross_entropy", "labels.distinct": 32, "labels.shape": [32], "predictions.classes": 32},
    "softmax_of_one": {
        "graph.softmax_of_one": 1 if hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata") else None,
        "parameters.list.0.gradient": "zero",
        "graph.head": ["cross_entropy", "linear"],
    },
    "multiplied_by_zero": {"graph.zero_factors": 2, "graph.softmax_of_one": None},
    "trained_in_eval": {"eval_trained.always": False, "eval_trained.modules": ["1", "2"], "eval_trained.kinds": ["dropout", "normalisation"]},
    "waits_for_a_plateau": {
        "schedule.plateau.mode": "min",
        "schedule.plateau.metrics": [0.25, 0.5, 0.75],
        "schedule.plateau.lowered": [1, 2],
    },
    "part_in_eval": {"eval_parts.modules": ["0.1"], "eval_parts.kinds": ["normalisation"], "eval_trained": None},
    "always_in_eval": {"eval_trained.always": True, "eval_trained.kinds": ["dropout"]},
    "model_replaced": {"astray.since": 10, "astray.latest": None, "astray.optimiser": "Adam", "astray.model": "Sequential", "astray.parameters": 4},
    "optimiser_of_the_copy": {"astray.never": True, "astray.latest": None, "astray.optimiser": "Adam", "astray.parameters": 4},
    "next_tokens_in_two_parts": {"labels.ahead.length": 12, "labels.ahead.places": 1},
    "model_replaced_that_is_zeroed": {"astray.model": "Sequential", "astray.latest": True},
    "model_replaced_with_zeros_left": {"astray.model": "Sequential", "astray.latest": True},
    "loss_that_comes_now_and_then": {"astray": None},
    "one_class": {"predictions.one_class": True},
    "clipped": {"updates.clip.max_norm": 0.001, "updates.clip.clipped": 9, "optimisers.0.groups.0.betas": [0.9, 0.999], "optimisers.0.groups.0.weight_decay": 0.01},
    "clipped_by_value": {"updates.clip.max_norm": pytest.approx(1e-4), "updates.clip.by_value": True, "updates.clip.clipped": 9},
    "fetched_again": {"inputs.distinct": 1, "inputs.renewed": 7, "inputs.part_of_more": True},
    "index_stands": {"inputs.distinct": 1, "inputs.renewed": 7, "inputs.part_of_more": False},
    "tensors_alone": {
        "models": [], "graph.head": ["cross_entropy", "linear"], "graph.unreached": None, "inputs.distinct": 8, "inputs.renewed": None, "network.modules.0.kind": "linear",
        "network.modules.0.input.shape": [32, 6], "network.modules.1.path": "SGD_param_2", "parameters.list.0.use": "linear", "parameters.list.0.fan_in": 6,
        "parameters.list.1.use": None, "parameters.list.2.fan_in": 8, "parameters.list.0.held": True, "parameters.list.0.gradient": "finite", "parameters.list.0.changed": True,
    },
    "weights_of_its_own": {"parameters.list.0.use": "linear", "parameters.list.0.fan_in": 6, "parameters.list.1.use": None},
    "channels_renamed": {"inputs.interleaved": True},
    "channels_exchanged": {"inputs.interleaved": None},
    "seeded_anew": {"inputs.distinct": 1, "inputs.renewed": 7, "inputs.part_of_more": False},
    "kept_batch": {"inputs.distinct": 1, "inputs.renewed": None, "inputs.part_of_more": None},
    "shared_weights": {"graph.reached": 1, "graph.unreached": None, "graph.weighted": 2, "graph.non_linear": 1, "network.modules.1.kind": "embedding"},
    "gan_that_clears_one_of_two": {"updates.each.0.kept": 7, "updates.each.0.steps": 8, "updates.each.1.kept": 0},
    "gan_with_several_critic_steps": {"updates.each.0.kept": 0, "updates.each.1.kept": 0, "updates.each.1.steps": 6, "parameters.list.4.updates": 6, "parameters.list.4.gradient": "finite"},
    "gan_with_several_critic_steps_that_clears_one_of_two": {"updates.each.0.kept": 0, "updates.each.1.kept": 5, "updates.each.1.steps": 6},
    "gan_whose_second_optimiser_holds_the_critic": {"parameters.outside.0.name": "Sequential_0.weight", "parameters.outside.3.shape": [6], "parameters.list.0.updates": 31},
    "gan": {"updates.each.0.kept": 0, "updates.each.1.kept": 0, "updates.each.0.class": "Adam", "parameters.list.0.updates": 9, "parameters.list.0.lr": None,
            "updates.kept": 0, "updates.cleared": 0, "graph.unreached": None, "graph.parts": 2, "loss.module": ""},
    "lbfgs": {"updates.kept": 0, "updates.cleared": 0, "updates.no_backward": 0, "parameters.list.0.changed": True},
    "keywords_and_mappings": {"inputs.tensors.0.shape": [4, 5], "inputs.tensors.1.dtype": "I64", "inputs.distinct": 8, "inputs.features": None, "graph.unreached": None},
    "one_hot_labels": {"labels.one_hot": True, "labels.rows_sum_to_one": True, "predictions.axis": 1, "predictions.label_shape": [32, 3]},
    "by_hand": {"parameters": None, "updates.steps": 8, "updates.kept": 0, "updates.cleared": 0, "updates.no_backward": 0, "graph.head": ["cross_entropy", "linear"]},
    "by_hand_never_zeroed": {"updates.steps": 8, "updates.kept": 7},
    "by_hand_after_two_backwards": {"updates.steps": 8, "updates.kept": 0, "graph.head": ["cross_entropy", "linear"], "graph.weighted": 2},
    "plain_tensors_of_an_optimiser": {"model": None, "network.modules.1.path": "SGD_param_1", "parameters.list.1.use": "linear", "graph.head": ["cross_entropy", "softmax", "linear"],
                                      "graph.weighted": 2, "graph.non_linear": 1, "graph.reached": 2, "graph.unreached": None, "updates.kept": 0},
    "plain_tensors_left_out": {"parameters.list.0.name": "SGD_param_0", "parameters.list.0.shape": [3, 7], "parameters.loose": [{"shape": [7, 6], "parameter": False}], "graph.reached": 1},
    "short": {"models.0.class": "Sequential", "model.parameters": 83, "optimisers.0.class": "SGD", "tensors.weights": 4, "inputs.steps": 2, "updates.steps": 3, "labels.elements": 96, "parameters.updates": 3},
    "odd_tensors": {"graph.complete": False, "graph.unreached": None},
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_facts(trainings, name):
    facts = trainings[name].facts
    if name == "keywords_and_mappings" and not compat.HAS_KWARG_HOOKS:
        assert facts["graph"]["reached"] == 3 and "inputs" not in facts
        return
    if name == "end_as_padding" and not compat.HAS_KWARG_HOOKS:
        assert "unlabelled_end" not in facts["labels"]  # the mask is not seen
        return
    if name.startswith("model_replaced") and not compat.TELLS_OF_PARTS:
        assert "astray" not in facts  # nothing tells of the new model
        return
    assert {path: at(facts, path) for path in FACTS[name]} == FACTS[name]


def test_parameters(trainings):
    assert gradients(trainings["frozen_and_not_held"].facts) == [
        ("0.weight", False, False, "missing", False),
        ("0.bias", True, False, "missing", False),
        ("2.weight", True, True, "finite", True),
        ("2.bias", True, True, "finite", True),
    ]


def test_network_calls(trainings):
    """The modules stand in the order of their calls, the kinds of torch.nn are known."""
    modules = trainings["evaluated_well"].facts["network"]["modules"]
    assert [(m["path"], m["type"], m["kind"], m["calls"], m["training"]) for m in modules] == [
        ("", "Sequential", "container", 1, True),
        ("0", "Linear", "linear", 1, True),
        ("1", "BatchNorm1d", "normalisation", 1, True),
        ("2", "ReLU", "activation", 1, True),
        ("3", "Dropout", "dropout", 1, True),
        ("4", "Linear", "linear", 1, True),
    ]
    assert all(("input" in m and "output" in m) == (m["kind"] != "container") for m in modules)


def test_further_trainings(trainings):
    """Each is told before any record of its first step. An optimiser for weights that were trained before begins none, unless that one did so for long."""
    run = trainings["folds"]
    assert [t["at"] for t in run.facts["trainings"]] == [12, 24]
    assert "trainings" not in trainings["healthy"].facts
    assert [t["update"] for t in run.facts["trainings"]] == [12, 24] and all("phase" not in t for t in run.facts["trainings"])
    for at in (12, 24):
        told = next(m["facts"]["trainings"][-1] for m in run.of("facts") if any(t["at"] == at for t in m["facts"].get("trainings", [])))
        assert told == {"at": at, "update": at, "facts": {}, "optimiser": {"class": "SGD", "lr": 0.1, "loss": told["optimiser"]["loss"]}}


@pytest.mark.parametrize("name,at", [("begun_anew_in_the_same_weights", 60), ("head_and_then_the_rest", 60), ("half_of_a_gan_ahead", 61)])
def test_phases_of_one_training(trainings, name, at):
    """Another optimiser begins no training where the model is the same, or where the one before goes on."""
    (entry,) = trainings[name].facts["trainings"]
    assert (entry["at"], entry["phase"]) == (at, True)


def test_facts_of_further_trainings(trainings):
    """The first few are looked at like the first one, each for itself."""
    second, third = (t["facts"] for t in trainings["folds"].facts["trainings"])
    assert [second[s]["at"] for s in ("labels", "graph", "parameters", "updates")] == [21] * 4
    assert [m["class"] for m in second["models"]] == ["Sequential"] and second["loss"]["function"] == "cross_entropy"
    assert [p[1:] for p in gradients(second)] == [p[1:] for p in gradients(trainings["folds"].facts)]
    assert [len(third[s]) for s in ("models", "optimisers")] == [2, 2]
    assert third["network"]["modules"][0]["path"].startswith("Sequential") and third["inputs"]["steps"] > 5


def test_facts_of_a_further_training_leave_out_the_ones_before(trainings):
    """A head on what another training has trained, whose optimiser still lives: nobody is blamed for the encoder."""
    facts = trainings["head_on_what_was_trained"].facts
    (head,) = (t["facts"] for t in facts["trainings"])
    assert [m["name"] for m in facts["models"]] == ["Sequential"]
    assert [(p["name"], p["held"], p["gradient"], p["changed"]) for p in head["parameters"]["list"]] == [
        ("Linear_weight", True, "finite", True),
        ("Linear_bias", True, "finite", True),
    ]
    assert "outside" not in head["parameters"] and len(head["optimisers"]) == 1


def test_added_in_place(trainings):
    run = trainings["added_in_place"]
    assert all(value > 3 for value in run.series("loss"))
    assert all(value < total - 3 for value, total in zip(run.series("CrossEntropyLoss_output_0"), run.series("loss")))


@pytest.mark.parametrize("name", sorted(FACTS))
def test_told_once(trainings, name):
    """A section never changes, and is told before any record of the step from which on rules may look at it."""
    run = trainings[name]
    sections = ("labels", "network", "graph", "predictions", "inputs", "parameters", "updates", "evaluation", "eval_trained", "eval_parts", "astray", "unfrozen", "averages")
    told = {}
    for message in run.of("facts"):
        for section in sections:
            facts = message["facts"].get(section)
            if section in told:
                assert facts == told[section]
            elif facts:
                told[section] = facts
    first = collections.Counter(told[s]["at"] for s in sections[:7] if s in told)
    assert len(first) == 1
    trained = sorted(s.number for s in run.steps if s.mode == TRAIN)
    last = max(s.number for s in run.steps)
    least = 30 if "critic" in name else 8  # until the generator has stepped often enough
    assert next(iter(first)) == (trained[least] if len(trained) > least else last) + 1
    messages = [list(m["facts"]) for m in run.of("facts")]
    assert len(messages) <= 5
