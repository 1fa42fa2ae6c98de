"""Reading a real run: a training of PyTorch that the program captured and stored."""

import os
import shutil
import subprocess
import sys
import time

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TRAIN = """
import os, sys, time
import torch
from torch import nn
import vigil
import vigil.torch as vg

torch.manual_seed(0)
hook = vg.Hook()
hook.collection("kept", regex="^Net_fc.weight$|_input_0$|_input_strings_0$", every=1, raw=True, median=True, prod=True)
hook.collection("middle", regex="^gradient/.*bias$", every=1, median=True, prod=True)
hook.collection("outputs", regex="fc_output_0$", every=1)
hook.collection("labels", every=1, raw=True)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x, names=()):
        return self.fc(x)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(8):
    model.train()
    optimizer.zero_grad()
    criterion(model(torch.full((2, 4), float(step)), ["a", "é%d" % step]), torch.tensor([step % 3, 1])).backward()
    optimizer.step()
    vigil.log({"acc": step / 10})
    vigil.save_tensor("words", [["a", "b"]] * (step + 1))
    time.sleep(float(sys.argv[1]))
    while step == 3 and len(sys.argv) > 2 and not os.path.exists(sys.argv[2]):
        time.sleep(0.01)
    if step % 4 == 3:
        model.eval()
        with torch.no_grad():
            criterion(model(torch.ones(3 + step, 4)), torch.tensor([0, 1, 2] + [0] * step))
"""


@pytest.fixture(scope="session")
def binary(tmp_path_factory):
    """The Go program."""
    go = shutil.which("go") or "/usr/local/go/bin/go"
    path = str(tmp_path_factory.mktemp("bin") / "vigil")
    subprocess.run([go, "build", "-o", path, "./cmd/vigil"], cwd=ROOT, env=dict(os.environ, CGO_ENABLED="0"), check=True)
    return path


@pytest.fixture(scope="session")
def run(binary, tmp_path_factory):
    """The directory of a finished run."""
    work = tmp_path_factory.mktemp("run")
    start(binary, work, "0.1").wait(300)
    return str(work / "runs" / "one")


def start(binary, work, *arguments):
    (work / "train.py").write_text(TRAIN)
    command = [binary, "run", "--quiet", "--dir", "runs", "--name", "one", "--every", "1", "--", sys.executable, "train.py"]
    env = {k: v for k, v in os.environ.items() if not k.startswith("VIGIL")}
    return subprocess.Popen(command + list(arguments), cwd=str(work), env=env)


@pytest.fixture
def trial(run, binary, monkeypatch):
    monkeypatch.setenv("VIGIL_BIN", binary)
    from vigil.trial import create_trial

    t = create_trial(run)
    yield t
    t.close()


def test_steps_and_modes(trial):
    from vigil.trial import StepState, modes

    assert trial.name == "one" and trial.loaded_all_steps and trial.workers() == ["worker_0"] and trial.num_workers == 1
    assert trial.modes() == [modes.TRAIN, modes.EVAL]
    assert trial.steps(mode=modes.TRAIN) == list(range(8))
    assert trial.steps(mode=modes.EVAL) == [0, 1]
    assert trial.steps(mode=modes.PREDICT) == [] and trial.steps(mode=None) == []
    assert len(trial.steps()) == 10 and trial.steps() == sorted(trial.steps())
    for g in trial.steps():
        mode, step = trial.mode_modestep(g)
        assert trial.global_step(mode, step) == g and trial.mode(g) is mode and trial.mode_step(g) == step
    assert trial.mode_modestep(999) == (None, None) and trial.global_step(modes.GLOBAL, 7) == 7
    assert trial.has_passed_step(3, modes.TRAIN) == StepState.AVAILABLE
    assert trial.has_passed_step(99, "train") == StepState.UNAVAILABLE
    assert trial.last_complete_step == trial.steps()[-1]


def test_waiting(trial):
    from vigil.exceptions import NoMoreData
    from vigil.trial import modes

    trial.wait_for_steps([0, 7], mode=modes.TRAIN)
    with pytest.raises(NoMoreData) as e:
        trial.wait_for_steps([8], mode=modes.TRAIN)
    assert (e.value.step, e.value.mode, e.value.last_step) == (8, modes.TRAIN, 7)
    assert "TRAIN step 8" in str(e.value)


def test_names(trial):
    from vigil.exceptions import TensorUnavailable
    from vigil.trial import modes

    weights = trial.tensor_names(collection="weights")
    assert len(weights) == 1 and weights[0].endswith("fc.weight")
    assert trial.tensor_names(regex="^gradient/") == ["gradient/" + n for n in trial.tensor_names(regex=r"^(?!gradient).*fc\.")]
    assert trial.tensor_names(regex=["^loss$", ["^scalar/acc$", "^acc$"]])[-1] == "loss" or "loss" in trial.tensor_names(regex="^loss$")
    assert "loss" in trial.tensor_names(step=0, mode=modes.TRAIN)
    assert weights[0] not in trial.tensor_names(step=0, mode=modes.EVAL)
    assert trial.tensor_names(step=12345) == []
    assert trial.has_tensor("loss") and not trial.has_tensor("nothing")
    with pytest.raises(KeyError):
        trial.tensor_names(step=77, mode=modes.TRAIN)
    with pytest.raises(KeyError):
        trial.tensor_names(mode=modes.PREDICT)
    with pytest.raises(ValueError):
        trial.tensor_names(regex="a", collection="weights")
    with pytest.raises(TypeError):
        trial.tensor_names(collection=3)
    with pytest.raises(TensorUnavailable) as e:
        trial.tensor("fc.weigh")
    assert "did you mean" in str(e.value)
    assert trial.collection("weights").tensor_names == set(weights)
    assert trial.collection("nothing").tensor_names == set()


def test_values(trial):
    import numpy as np

    from vigil.exceptions import InvalidWorker, StepUnavailable, TensorUnavailableForStep
    from vigil.trial import modes

    weight = trial.tensor(trial.tensor_names(collection="weights")[0])
    steps = weight.steps(mode=modes.TRAIN)
    k = steps[-2]  # the first ones may pass before the plan is there
    assert steps[-2:] == [6, 7] and steps == sorted(steps)
    value = weight.value(k, mode=modes.TRAIN)
    assert value.shape == (3, 4) and value.dtype == np.float32 and weight.shape(k, mode=modes.TRAIN) == (3, 4)
    assert not np.array_equal(value, weight.value(7, mode=modes.TRAIN))
    for name, want in [("min", value.min()), ("max", value.max()), ("mean", value.mean()), ("std", value.std()), ("variance", value.var()),
                       ("sum", value.sum()), ("l1", abs(value).sum()), ("l2", np.linalg.norm(value)), ("prod", value.prod()), ("median", np.median(value))]:  # fmt: skip
        assert weight.reduction_value(k, name, mode=modes.TRAIN) == pytest.approx(want, rel=1e-4, abs=1e-7), name
    for name, want in [("mean", abs(value).mean()), ("max", abs(value).max()), ("min", abs(value).min()), ("std", abs(value).std()), ("l2", np.linalg.norm(value))]:
        assert weight.reduction_value(k, name, mode="train", abs=True) == pytest.approx(want, rel=1e-4), name
    assert weight.reduction_values(k, modes.TRAIN)["mean", False] == weight.reduction_value(k, "mean", modes.TRAIN)
    with pytest.raises(ValueError):
        weight.reduction_value(k, "mode", modes.TRAIN)
    assert set(weight.values(mode=modes.TRAIN)) == set(steps) and weight.shapes(mode=modes.TRAIN)[k] == (3, 4)
    assert weight.workers(k, modes.TRAIN) == ["worker_0"] and weight.prev_steps(k, 2, modes.TRAIN) == steps[-3:-1] and weight.prev_steps(k, mode=modes.TRAIN) == steps[:-1]
    # A global step of any mode does as well.
    g = trial.global_step(modes.TRAIN, k)
    assert np.array_equal(weight.value(g), value)

    gradient = trial.tensor("gradient/" + weight.name)
    with pytest.raises(TensorUnavailableForStep) as e:
        gradient.value(k, modes.TRAIN)
    assert e.value.has_reductions and "only their statistics" in str(e.value)
    assert gradient.reduction_value(k, "l2", modes.TRAIN) > 0
    with pytest.raises(TensorUnavailableForStep):
        gradient.reduction_value(k, "median", modes.TRAIN)
    # Computed at capture: the values themselves are not there.
    bias = trial.tensor(gradient.name.replace("weight", "bias"))
    with pytest.raises(TensorUnavailableForStep):
        bias.value(k, modes.TRAIN)
    low, middle, high = (bias.reduction_value(k, name, modes.TRAIN) for name in ("min", "median", "max"))
    assert low < middle < high and low + middle + high == pytest.approx(bias.reduction_value(k, "sum", modes.TRAIN), abs=1e-6)
    assert bias.reduction_value(k, "prod", modes.TRAIN) == pytest.approx(low * middle * high, rel=1e-5)
    assert bias.reduction_value(k, "prod_sign", modes.TRAIN) == np.sign(low * middle * high)
    assert bias.reduction_value(k, "prod_log", modes.TRAIN) == pytest.approx(np.log(abs(low * middle * high)), rel=1e-5)
    assert bias.reduction_value(k, "prod", modes.TRAIN, abs=True) == abs(bias.reduction_value(k, "prod", modes.TRAIN))
    assert bias.reduction_values(k, modes.TRAIN)["median", False] == middle
    with pytest.raises(StepUnavailable):
        weight.value(99, modes.TRAIN)
    with pytest.raises(TensorUnavailableForStep):
        weight.value(trial.global_step(modes.EVAL, 0))
    with pytest.raises(InvalidWorker):
        weight.value(k, modes.TRAIN, worker="worker_9")
    with pytest.raises(NotImplementedError):
        weight.step(3)


def test_shapes_of_what_is_not_kept(trial):
    """Shapes vary, and are known at each step without the values."""
    from vigil.exceptions import TensorUnavailableForStep
    from vigil.trial import modes

    output = trial.tensor(trial.tensor_names(regex="fc_output_0$")[0])
    assert output.shapes(modes.EVAL) == {0: (6, 3), 1: (10, 3)}
    assert set(output.shapes(modes.TRAIN).values()) == {(2, 3)}
    assert output.shape(trial.global_step(modes.EVAL, 1)) == (10, 3)
    with pytest.raises(TensorUnavailableForStep):
        output.value(1, modes.EVAL)


def test_strings(trial):
    """Those that the script saves, and those that the model is given where its inputs are kept."""
    from vigil.exceptions import TensorUnavailableForStep
    from vigil.trial import modes

    words = trial.tensor("words")
    assert words.steps(modes.TRAIN) == list(range(8)) and words.info["strings"]
    assert words.value(2, modes.TRAIN).tolist() == [["a", "b"]] * 3 and words.value(2, modes.TRAIN).dtype.kind == "U"
    assert words.shape(2, modes.TRAIN) == (3, 2) and words.shapes(modes.TRAIN)[7] == (8, 2)
    assert words.reduction_values(2, modes.TRAIN) == {}
    for name in ("mean", "count", "median"):
        with pytest.raises(TensorUnavailableForStep, match="holds strings"):
            words.reduction_value(2, name, modes.TRAIN)
    (given,) = trial.tensor_names(regex="_input_strings_0$")
    assert trial.tensor(given).value(7, modes.TRAIN).tolist() == ["a", "é7"]
    assert trial.tensor(given).info["kind"] == "input"


def test_scalars(trial):
    from vigil.trial import modes

    loss = trial.tensor("loss")
    assert loss.value(2, modes.TRAIN).shape == () and float(loss.value(2, modes.TRAIN)) > 0 and loss.shape(2, modes.TRAIN) == ()
    assert loss.reduction_value(2, "mean", modes.TRAIN) == loss.value(2, modes.TRAIN)
    assert loss.steps(modes.EVAL) == [0, 1] and float(loss.value(0, modes.EVAL)) > 0
    alias = [n for n in trial.tensor_names(regex="CrossEntropyLoss_output_0")]
    assert not alias or float(trial.tensor(alias[0]).value(2, modes.TRAIN)) == float(loss.value(2, modes.TRAIN))


def test_inputs_and_labels(trial):
    import numpy as np

    from vigil.trial import modes

    inputs = trial.inputs(6, modes.TRAIN)
    assert any(np.array_equal(x, np.full((2, 4), 6, np.float32)) for x in inputs)
    labels = trial.labels(7, modes.TRAIN)
    assert any(np.array_equal(x, [1, 1]) for x in labels)


def test_part_of_a_run(run, binary, monkeypatch):
    monkeypatch.setenv("VIGIL_BIN", binary)
    from vigil.trial import StepState, create_trial

    t = create_trial(run, name="mine", range_steps=(2, 5))
    assert t.name == "mine" and t.steps() == [2, 3, 4] and t.tensor("loss").steps() == [2, 3, 4]
    assert t.has_passed_step(1) == StepState.UNAVAILABLE and t.mode(1) is None
    assert t != create_trial(run) and create_trial(run) == create_trial(run)


def test_bad_paths(binary, monkeypatch, tmp_path):
    from vigil.exceptions import SMDebugError
    from vigil.trial import create_trial

    monkeypatch.setenv("VIGIL_BIN", binary)
    for path in ("/nowhere", str(tmp_path), "-x"):
        with pytest.raises(SMDebugError) as e:
            create_trial(path)
        assert "no run.json" in str(e.value) or "not a directory" in str(e.value)
    monkeypatch.setenv("VIGIL_BIN", "/nowhere/vigil")
    with pytest.raises(SMDebugError, match="was not found"):
        create_trial("/nowhere")
    with pytest.raises(TypeError):
        create_trial("/nowhere", speed=3)


def test_a_run_that_goes_on(binary, monkeypatch, tmp_path):
    """The trial grows with the run; frozen it does not; waiting ends with the job."""
    monkeypatch.setenv("VIGIL_BIN", binary)
    from vigil.exceptions import NoMoreData, SMDebugError
    from vigil.trial import create_trial, modes, no_refresh

    go_on = tmp_path / "go_on"
    job = start(binary, tmp_path, "0.1", str(go_on))
    try:
        path = str(tmp_path / "runs" / "one")
        end = time.monotonic() + 300
        while True:
            try:
                t = create_trial(path)
                break
            except SMDebugError:
                assert time.monotonic() < end
                time.sleep(0.05)
        t.wait_for_steps([1], modes.TRAIN)
        assert not t.loaded_all_steps
        with no_refresh(t):
            before = t.steps()
            go_on.touch()
            job.wait(300)
            assert t.steps() == before and not t.loaded_all_steps
        t.wait_for_steps([7], modes.TRAIN)
        assert t.steps(modes.TRAIN) == list(range(8)) and len(before) < 10
        with pytest.raises(NoMoreData):
            t.wait_for_steps([8], modes.TRAIN)
        assert t.loaded_all_steps
    finally:
        job.kill()
        job.wait()


def test_invoke_rule(trial):
    """A rule over a trial, in this process."""
    from vigil.exceptions import RuleEvaluationConditionMet
    from vigil.rules import Rule, invoke_rule

    class Above(Rule):
        def __init__(self, base_trial, limit, other_trials=None):
            super().__init__(base_trial, other_trials=other_trials)
            self.limit = limit
            self.at = []

        def set_required_tensors(self, step):
            self.req_tensors.add("loss", steps=[step])
            self.req_tensors.add("^lo", steps=[step], should_match_regex=True)

        def invoke_at_step(self, step):
            self.at.append(step)
            assert self.req_tensors.get_names() == {"loss"} and self.req_tensors.get_tensor_steps("loss") == [step]
            return self.req_tensors.get()[0].value(step) > self.limit

    never = Above(trial, 1e9)
    invoke_rule(never)
    assert never.at == trial.steps() and never.report["RuleTriggered"] == 0
    some = Above(trial, 0, [trial])
    assert some.trials == [trial, trial]
    invoke_rule(some, start_step=2, end_step=4)
    assert some.at == [2, 3] and some.report["RuleTriggered"] == 2 and trial.dynamic_refresh
    with pytest.raises(RuleEvaluationConditionMet) as e:
        invoke_rule(Above(trial, 0), raise_eval_cond=True)
    assert e.value.step == trial.steps()[0] and e.value.rule_name == "Above"


def test_invoke_rule_lets_mistakes_through(trial):
    from vigil.rules import Rule, invoke_rule

    class Wrong(Rule):
        def invoke_at_step(self, step):
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        invoke_rule(Wrong(trial))
    assert trial.dynamic_refresh  # also after an error


def test_histograms_count_what_numpy_counts(trial):
    import numpy

    from vigil.exceptions import TensorUnavailableForStep
    from vigil.trial import modes

    weight = trial.tensor("Net_fc.weight")
    for step in (0, 7):
        counts, edges = weight.histogram(step, mode=modes.TRAIN)
        values = weight.value(step, mode=modes.TRAIN)
        assert counts.sum() == values.size and len(edges) == len(counts) + 1 and (numpy.diff(edges) > 0).all()
        assert counts.tolist() == numpy.histogram(values.astype(float), edges)[0].tolist()
        assert (numpy.abs(values) >= edges[edges > 0][0]).all(), "the bin around zero holds zeros alone"
    for name in ("loss", "acc"):
        with pytest.raises(TensorUnavailableForStep):
            trial.tensor(name).histogram(0, mode=modes.TRAIN)


def test_profiler_data_is_in_every_trial():
    """A trial of profiler data is refused with what has them, and that is there."""
    from vigil import exceptions, trial

    with pytest.raises(exceptions.NotSupported, match=r"machine\(\) and step_times\(\) of any trial have the machine and the parts of steps"):
        trial.create_trial("somewhere", profiler=True)
    assert callable(trial.Trial.machine) and callable(trial.Trial.step_times)
