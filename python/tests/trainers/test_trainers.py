"""What is understood of trainings that a trainer runs: steps, modes, losses and names are the trainer's own, and the weights do not change."""

import marks_in_words
import pytest

# Framework's file -> its trainings, each with its roots and the beginnings of the names of its weights.
TRAININGS = {
    "with_transformers": {
        "classification": (["BertForSequenceClassification"], "BertForSequenceClassification_bert.encoder.layer.0.attention.self.query.weight"),
        "accumulated": (["GPT2LMHeadModel"], "GPT2LMHeadModel_transformer.h.1.mlp.c_fc.weight"),
        "smoothed": (["BertForSequenceClassification"], "BertForSequenceClassification_classifier.bias"),
        "language": (["LlamaForCausalLM"], "LlamaForCausalLM_model.layers.1.mlp.down_proj.weight"),
        "plain": (["Plain"], "Plain_net.0.weight"),
        "called": (["BertForSequenceClassification"], "BertForSequenceClassification_classifier.weight"),
    },
    "with_lightning": {
        "automatic": (["Classifier"], "Classifier_net.0.weight"),
        "accumulated": (["Classifier"], "Classifier_net.2.bias"),
        "clipped": (["Classifier"], "Classifier_net.2.weight"),
        "inner": (["Sequential"], "Sequential_0.weight"),
        "manual": (["Sequential", "Sequential_1"], "Sequential_1_2.weight"),
        "called": (["Predicting"], "Predicting_net.0.weight"),
        "fabric": (["Sequential"], "Sequential_2.weight"),
    },
    "with_accelerate": {
        "accumulated": (["Sequential"], "Sequential_0.weight"),
        "counted": (["Sequential"], "Sequential_2.bias"),
        "called": (["Sequential"], "Sequential_0.weight"),
    },
}
ALL = [(script, name) for script, names in TRAININGS.items() for name in names]
TRAIN, EVAL = 0, 1


@pytest.fixture
def training(trainings, request):
    script, name = request.param
    return trainings(script, list(TRAININGS[script]))[name]


def every(f):
    return pytest.mark.parametrize("training", ALL, indirect=True, ids=["%s-%s" % one for one in ALL])(f)


@every
def test_weights_are_the_same(training):
    assert training.same


@every
def test_a_step_is_an_update(training):
    steps = training.run.mode(TRAIN)
    updates = len(training.said["losses"])
    assert [s.mode_step for s in steps] == list(range(updates))
    assert not any(s.repeated for s in training.run.steps)
    assert training.said["steps"] in (updates, updates * len(training.run.facts["models"]))  # Lightning counts each optimiser's


@every
def test_the_loss_is_the_trainers(training):
    for key, said in training.said.items():
        if key.startswith("losses"):
            name = key.replace("losses", "loss")
            assert training.run.series(name) == pytest.approx(said, rel=1e-5, abs=1e-6), name


@pytest.mark.parametrize("script,name", ALL, ids=["%s-%s" % one for one in ALL])
def test_the_loss_of_evaluation_is_the_trainers(trainings, script, name):
    training = trainings(script, list(TRAININGS[script]))[name]
    said, seen = training.said.get("eval", []), training.run.series("loss", EVAL)
    if not said:
        assert seen == []
    elif None in seen:  # only the trainer knows it, and the callback gives it to the last step of each evaluation
        assert [v for v in seen if v is not None] == pytest.approx(said, rel=1e-5)
    elif len(said) == len(seen):
        assert seen == pytest.approx(said, rel=1e-5, abs=1e-6)
    else:  # the trainer tells the mean of the batches of one evaluation
        n = len(seen) // len(said)
        assert [sum(seen[i : i + n]) / n for i in range(0, len(seen), n)] == pytest.approx(said, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("script,name", ALL, ids=["%s-%s" % one for one in ALL])
def test_names(trainings, script, name):
    run = trainings(script, list(TRAININGS[script]))[name].run
    roots, weight = TRAININGS[script][name]
    assert sorted(m["name"] for m in run.facts["models"]) == roots
    assert weight in run.names() and "gradient/" + weight in run.names()
    assert all(n.startswith(tuple(r + "_" for r in roots)) for n in run.names("weight") + run.names("bias"))
    assert any(weight in s.tensors and "gradient/" + weight in s.tensors for s in run.mode(TRAIN))
    assert run.said and roots[0] in run.said
    assert run.notices == [] and not run.missing


@every
def test_the_parts_of_steps(training):
    """Each update has a forward, a backward and the optimiser before it, and waits for data."""
    steps, parts = [], set()
    for word in marks_in_words.of(training.run):
        if word.split()[-2:-1] == ["train"]:
            steps.append(parts)
            parts = set()
        else:
            parts.add(word)
    assert len(steps) == len(training.run.mode(TRAIN))
    assert all({"forward(", "backward(", "optimizer("} <= p for p in steps)
    assert all("data(" in p for p in steps)
