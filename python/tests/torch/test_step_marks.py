"""Which marks trainings leave (docs/protocol.md, section 4.3)."""

import collections
import os

import marks_in_words
import pytest

from vigil._torch import compat

HERE = os.path.dirname(os.path.abspath(__file__))
Trained = collections.namedtuple("Trained", "words loaders run")


@pytest.fixture
def train(watched, tmp_path):
    """train(name): what a training of small_marks.py leaves."""

    def run(name):
        run, _ = watched(os.path.join(HERE, "small_marks.py"), name, str(tmp_path / "saved.pt"))
        return Trained(marks_in_words.of(run), [m["facts"] for m in run.messages if m["t"] == "loader"], run)

    return run


DATA, FORWARD, BACKWARD, OPTIMIZER = ("data( data)".split(), "forward( forward)".split(), "backward( backward)".split(), "optimizer( optimizer)".split())
STEP = FORWARD + FORWARD + BACKWARD + OPTIMIZER


def many(found):
    """How often each word comes."""
    return collections.Counter(w.split()[0] if not w.startswith("late") else "late" for w in found)


def test_the_parts_of_a_step(train):
    found = train("plain")
    steps = [w for n in range(4) for w in DATA + (["loader 0"] if n == 0 else []) + STEP + ["train %d" % n]]
    assert found.words == DATA + steps + DATA
    assert [s.number for s in found.run.steps] == [0, 1, 2, 3]
    assert found.loaders == [{"workers": 0, "pin_memory": False, "persistent_workers": False, "batch_size": 2, "batch_bytes": 32}]


def test_data_that_comes_as_a_stream(train):
    assert train("streamed").words[:4] == DATA + DATA


def test_a_loader_that_is_not_pytorchs_is_no_part(train):
    assert train("by_hand").words == [w for n in range(4) for w in STEP + ["train %d" % n]]


def test_workers_that_stay(train):
    found = train("workers")
    assert many(found.words)["data("] == many(found.words)["data)"] == 2 * (1 + 5)
    (facts,) = found.loaders
    assert facts["workers"] == 2 and facts["persistent_workers"] is True and facts["prefetch"] == 2


def test_passes_with_workers(train):
    """Each pass says when its first batch was there; the settings are told once."""
    found = train("passes")
    assert many(found.words)["loader"] == 3 and len(found.loaders) == 1


def test_a_pass_within_a_pass(train):
    found = train("nested")
    count = many(found.words)
    assert count["data("] == count["data)"] == (1 + 5) + 4 * ((1 + 3) + (1 + 1) + 2 * (1 + 1))
    assert len([w for w in found.words if w.startswith("late eval")]) == 8 and count["loader"] == 2


def test_an_error_in_the_data_ends_the_wait(train):
    count = many(train("broken").words)
    assert count["data("] == count["data)"] == 2 * (1 + 3) and count["train"] == 4


def test_an_error_in_forward_ends_it(train):
    count = many(train("failing").words)
    assert count["train"] == 2
    assert count["forward("] == count["forward)"] or not compat.HAS_OPTIMISER_HOOKS  # PyTorch 1.13 does not tell


def test_checkpoints(train):
    found = train("saves").words
    at = [i for i, w in enumerate(found) if w == "checkpoint("]
    assert len(at) == 4 and all(found[i - 1].startswith("train") and found[i + 1] == "checkpoint)" for i in at)


def test_a_closure_runs_within_the_update(train):
    found = train("closure").words
    assert found[found.index("train 0") + 1 :][: len(DATA) + 11] == DATA + ["optimizer(", "other("] + FORWARD + FORWARD + BACKWARD + ["other)", "optimizer)", "train 1"]


def test_only_the_thread_that_trains_leaves_marks(train):
    found = train("thread").words
    after = found[found.index("unknown") :]
    assert many(after)["train"] == 4 and many(after)["data("] == 3 + 1


def test_an_iterator_stays_what_it_was(train):
    assert "train 3" in train("same").words


@pytest.mark.parametrize("batch, size", [((), None), ([1, "a"], None)])
def test_a_batch_without_tensors_has_no_size(batch, size):
    from vigil._torch.loaders import batch_bytes

    assert batch_bytes(batch, 4) is size
