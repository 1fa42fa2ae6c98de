"""Losses of evaluation that functions give: each pass has the loss that the script prints, whatever it sums and divides by."""

import os
import re

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "small_validations.py")
EVAL = 1
BATCHES = 3
SEEN = """
mnist_example language_model squares_in_inference_mode binary binary_after_sigmoid likelihood taken_out_of_the_module losses_of_samples
smoothed_in_training sums_of_labels_that_count sums_of_smoothed_labels probabilities absolute smooth_absolute huber squares_summed divergence
gaussian transcribed triplets embedded with_gradients beside_a_metric trained_by_a_module in_a_mode_of_functions module own_module
""".split()
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
    if style == "taken_out_of_the_module" and way == "taken":
        pytest.skip("it is not seen where functions are replaced")
    assert len(printed) == BATCHES and passes(done.run) == pytest.approx(printed, rel=1e-5)
    assert not [n for n in done.run.of("notice") if "no loss of its evaluation" in n["text"]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("style", LEFT_OUT)
def test_what_is_not_clear_is_left_out(trained, style, way):
    done, _ = run_of(trained, style, way)
    assert set(done.run.series("loss", EVAL)) <= {None}
    assert len([n for n in done.run.of("notice") if "no loss of its evaluation" in n["text"]]) == bool(done.run.mode(EVAL))
