"""Losses of evaluation that functions give: each pass has the loss that the script prints, whatever it sums and divides by."""

import inspect
import os
import re
import sys
import threading
import time
import types

import pytest
import torch
import torch.nn.functional as F

from vigil._torch import evaluation_losses, function_watch, loss_functions
from vigil._torch.deferred_values import Reader

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "small_validations.py")
EVAL = 1
BATCHES = 3
SEEN = """
mnist_example language_model squares_in_inference_mode binary binary_after_sigmoid likelihood taken_out_of_the_module losses_of_samples
smoothed_in_training sums_of_labels_that_count sums_of_smoothed_labels probabilities absolute smooth_absolute huber squares_summed divergence
gaussian transcribed triplets embedded with_gradients beside_a_metric trained_by_a_module in_a_mode_of_functions module own_module
""".split()
if not hasattr(torch.device("cpu"), "__enter__"):  # before PyTorch 2.0 a device is no mode
    SEEN.remove("in_a_mode_of_functions")
LEFT_OUT = "two_terms places_that_count another_quantity attacked vectorised".split()
WAYS = ["events", "taken"]


def passes(run):
    """The mean loss of each pass of evaluation."""
    losses = run.series("loss", EVAL)
    return [sum(losses[i : i + BATCHES]) / BATCHES for i in range(0, len(losses), BATCHES)]


def run_of(trained, style, way):
    done = trained(SCRIPT, style, *([way] if way == "taken" else []))
    assert done.code == 0, done.err
    assert done.out == done.plain_out, "values are other ones with Vigil"
    return done, [float(x) for x in re.findall(r"validation (\S+)", done.out)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("style", SEEN)
def test_it_is_what_the_script_prints(trained, style, way):
    done, printed = run_of(trained, style, way)
    assert len(printed) == BATCHES and passes(done.run) == pytest.approx(printed, rel=1e-5)
    assert not [n for n in done.run.of("notice") if "no validation loss" in n["text"]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("style", LEFT_OUT)
def test_what_is_not_clear_is_left_out(trained, style, way):
    done, _ = run_of(trained, style, way)
    assert set(done.run.series("loss", EVAL)) <= {None}
    assert len([n for n in done.run.of("notice") if "no validation loss" in n["text"]]) == bool(done.run.mode(EVAL))


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="no torch.compile")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("style", ["compiled_model", "compiled_language_model"])
def test_compiled(trained, style, way):
    """What is compiled has nothing of ours in it; where Python has events of returns, those are seen that are made outside of it."""
    done, printed = run_of(trained, style, way)
    if style == "compiled_model" and way == "events" and hasattr(sys, "monitoring"):
        assert passes(done.run) == pytest.approx(printed, rel=1e-5)


def test_names(trained):
    """A function's loss has a name of its own; one that a loss module calls is the module's alone."""
    assert names_of(trained, "likelihood") == {"loss", "nll_loss_output_0"}
    assert trained(SCRIPT, "likelihood").run.info("nll_loss_output_0")["alias_of"] == "loss"
    assert names_of(trained, "module") == {"loss", "CrossEntropyLoss_output_0"}
    assert names_of(trained, "another_quantity") == {"l1_loss_output_0"}
    assert names_of(trained, "beside_a_metric") == {"loss", "mse_loss_output_0", "l1_loss_output_0"}


def names_of(trained, style):
    return {name for step in trained(SCRIPT, style).run.mode(EVAL) for name in step.scalars if not name.startswith("samples/")}


def test_a_script_that_logs_is_taken_at_its_word(trained):
    done, _ = run_of(trained, "logged", "events")
    assert done.run.series("loss", EVAL) == pytest.approx([float(x) for x in re.findall(r"logged (\S+)", done.out)], rel=1e-6)


X, Y = torch.randn(6, 5), torch.tensor([0, 3, -1, 2, 4, -1])
P, Q, B = torch.softmax(torch.randn(6, 5), 1), torch.softmax(torch.randn(6, 5), 1), torch.randint(2, (6, 5)).float()
W = torch.tensor([0.5, 1.0, 2.0, 0.3, 1.5])
MAPS, AREAS = torch.randn(2, 5, 3, 4), torch.randint(-1, 5, (2, 3, 4))
CALLS = [  # function, arguments, and the reductions that cannot be brought to a mean
    ("cross_entropy", (X, Y.clamp(min=0)), {}, ""),
    ("cross_entropy", (X, Y), {"ignore_index": -1}, ""),
    ("cross_entropy", (X, Y), {"ignore_index": -1, "weight": W, "label_smoothing": 0.1}, ""),
    ("cross_entropy", (X, Y.clamp(min=0)), {"ignore_index": 3}, ""),
    ("cross_entropy", (X, P), {"weight": W, "label_smoothing": 0.1}, ""),
    ("cross_entropy", (X[0], Y[0]), {}, ""),
    ("cross_entropy", (MAPS, AREAS), {"ignore_index": -1, "weight": W}, ""),
    ("cross_entropy", (X, torch.full((6,), -1)), {"ignore_index": -1}, "sum none"),
    ("nll_loss", (X, Y), {"ignore_index": -1, "weight": W}, ""),
    ("nll_loss", (MAPS, AREAS), {"ignore_index": -1}, ""),
    ("mse_loss", (X, P), {}, ""),
    ("l1_loss", (X, P), {}, ""),
    ("smooth_l1_loss", (X, P), {"beta": 0.3}, ""),
    ("huber_loss", (X, P), {"delta": 0.3}, ""),
    ("binary_cross_entropy", (P, B), {"weight": W}, ""),
    ("binary_cross_entropy_with_logits", (X, B), {"weight": W, "pos_weight": W}, ""),
    ("kl_div", (P.log(), Q), {}, ""),
    ("poisson_nll_loss", (X, B), {}, ""),
    ("gaussian_nll_loss", (X, P, torch.rand(6, 1) + 0.1), {}, ""),
    ("soft_margin_loss", (X, 2 * B - 1), {}, ""),
    ("hinge_embedding_loss", (X, 2 * B - 1), {}, ""),
    ("margin_ranking_loss", (X[:, 0], P[:, 0], 2 * B[:, 0] - 1), {}, "sum"),
    ("cosine_embedding_loss", (X, P, 2 * B[:, 0] - 1), {}, "sum"),
    ("multi_margin_loss", (X, Y.clamp(min=0)), {"weight": W}, "sum"),
    ("multilabel_margin_loss", (X, B.long()), {}, "sum"),
    ("multilabel_soft_margin_loss", (X, B), {"weight": W}, "sum"),
    ("triplet_margin_loss", (X, P, Q), {}, "sum"),
    ("triplet_margin_with_distance_loss", (X, P, Q), {}, "sum"),
    ("ctc_loss", (X.log_softmax(1).view(6, 1, 5), Y[3:5].view(1, 2), torch.tensor([6]), torch.tensor([2])), {}, "sum none"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name,args,options,unclear", CALLS)
def test_the_mean_is_what_the_function_itself_gives(name, args, options, unclear, reduction):
    function = loss_functions.found()[name]
    given = inspect.signature(function).bind(*args, reduction=reduction, **options)
    given.apply_defaults()
    mean = loss_functions.mean(name, loss_functions.reduction(given.arguments), given.arguments, function(*args, reduction=reduction, **options))
    if reduction in unclear:
        assert mean is None
        return
    value, divisor = mean
    assert (value / (1 if divisor is None else divisor)).item() == pytest.approx(function(*args, **options).item(), rel=1e-5, nan_ok=True)


def test_every_function_is_there():
    assert {name for name, _, _, _ in CALLS} == set(loss_functions.KINDS) - {"linear_cross_entropy"}
    losses = {n for n, f in vars(F).items() if type(f) is types.FunctionType and not n.startswith("_") and "reduction" in inspect.signature(f).parameters}
    assert losses - {"embedding_bag"} <= set(loss_functions.KINDS)


@pytest.mark.parametrize("legacy,how", [((None, None), "sum"), ((True, None), "mean"), ((False, None), "sum"), ((None, False), "none"), ((True, False), "none"), ((None, True), "mean")])
def test_legacy_arguments(legacy, how):
    assert loss_functions.reduction({"size_average": legacy[0], "reduce": legacy[1], "reduction": "sum"}) == how


def test_frames_of_the_script_are_not_read():
    secret = 1  # noqa: F841
    assert function_watch.Events.given(sys._getframe()) == {}


def watching(way):
    """FunctionLosses in the middle of a step of evaluation, by one way of watching."""
    tracker = types.SimpleNamespace(thread=threading.get_ident(), closed=False, reader=Reader(), spent=0, passage=0)
    tracker.open = types.SimpleNamespace(mode=EVAL, maybe_train=False, active=0)
    one = evaluation_losses.FunctionLosses(tracker)
    one.functions = loss_functions.found()
    one.compared = {name: f.__code__.co_varnames[:2] for name, f in one.functions.items()}
    one.ways = [way(one.functions, one._gave)]
    one.trained.alike = True
    return one


ALL_WAYS = [function_watch.Codes] + [function_watch.Events] * hasattr(sys, "monitoring")


@pytest.mark.parametrize("way", ALL_WAYS)
def test_other_threads_are_not_seen(way):
    one = watching(way)
    one.begins()
    thread = threading.Thread(target=F.mse_loss, args=(X, P))
    thread.start()
    thread.join()
    assert not one.fired
    F.mse_loss(X, P)
    one.ends()
    F.mse_loss(X, P)
    assert [mean.count for _, mean in one.take()] == [1]


@pytest.mark.parametrize("way", ALL_WAYS)
def test_passes_in_which_nothing_was_seen(way):
    """After some passes only the functions that gave a loss are watched, and from time to time all of them."""
    one = watching(way)
    on = []
    for _ in range(70):
        one.begins()
        on.append(one.on is not None)
        one.ends()
    assert [i + 1 for i, watched in enumerate(on) if watched] == list(range(1, evaluation_losses.FEW + 1)) + [32, 64]


@pytest.mark.parametrize("way", ALL_WAYS)
def test_what_a_call_costs(way):
    """Printed, and not judged: microseconds of processor time that are added to a call."""
    one = watching(way)

    def each(call, n=2000):
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            for _ in range(n):
                call()
            best = min(best, (time.process_time() - began) / n * 1e6)
        return best

    with torch.no_grad():
        for label, call in (("mean", lambda: F.mse_loss(X, P)), ("sum", lambda: F.mse_loss(X, P, reduction="sum")), ("sum of labels", lambda: F.cross_entropy(X, Y, ignore_index=-1, reduction="sum"))):
            plain = each(call)
            one.begins()
            print("%s %s: %.1f us, and %.1f more" % (way.__name__, label, plain, each(call) - plain))
            one.ends()
            assert one.take()
    print("%s: %.1f us to begin and end a pass" % (way.__name__, each(lambda: (one.begins(), one.ends()), 200)))
