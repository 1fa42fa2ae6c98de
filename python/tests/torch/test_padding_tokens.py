"""What fills sequences up, in a model's input and in the labels that count."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import padding_tokens
from vigil._torch.labels import Labels
from vigil._torch.next_token_labels import NextPlace

LENGTHS = [3, 9, 5, 20, 14, 6]


def sequences(token=0, length=24, low=1, front=False, lengths=LENGTHS):
    g = torch.Generator().manual_seed(0)
    rows = torch.randint(low, 50, (len(lengths), length), generator=g)
    for row, n in zip(rows, lengths):
        if front:
            row[: length - n] = token
        else:
            row[n:] = token
    return rows


FILLED = 24 * 6 - sum(LENGTHS)


@pytest.mark.parametrize("token", [0, 50, 99])
@pytest.mark.parametrize("front", [False, True])
def test_inputs(token, front):
    found = padding_tokens.PaddingTokens()
    for _ in range(3):
        found.inputs([torch.ones(6, 4), sequences(token, front=front), torch.ones(6, 24, dtype=torch.int64)])
    facts = found.gather()
    assert facts.pop("share") == pytest.approx(FILLED / 144, abs=1e-6) and facts.pop("front", False) is front
    assert facts == {"token": token, "length": 24, "elements": 432}


def test_first_token_may_be_the_same():
    rows = sequences(7, low=8)
    rows[:, 0] = 7
    assert padding_tokens.of(rows) == (7, False, FILLED, 144, {24 - n for n in LENGTHS})


@pytest.mark.parametrize("rows", [
    sequences(0, low=0),  # the token is one among others
    sequences(0, lengths=[24] * 6),  # nothing is filled up
    sequences(0, lengths=[10] * 6),  # made so
    torch.zeros(6, 24, dtype=torch.int64),
    sequences(0, length=12, lengths=[3, 5, 7, 9, 2, 4]),  # short
    torch.rand(6, 24),
])
def test_others(rows):
    found = padding_tokens.PaddingTokens()
    found.inputs([rows])
    assert found.gather() is None


def test_few_lengths_in_a_batch():
    """Small batches may hold two lengths only, or one: others come with the next."""
    found = padding_tokens.PaddingTokens()
    for lengths in ([5, 6, 5, 6], [6, 6, 6, 6], [5, 7, 7, 7]):
        assert found.gather() is None
        found.inputs([sequences(lengths=lengths)])
    facts = found.gather()
    assert facts["token"] == 0 and facts["elements"] == 288 and facts["share"] == pytest.approx(1 - 72 / 288, abs=1e-6)


def test_labels():
    rows = sequences(0)
    shifted = torch.cat([rows[:, 1:], torch.full((6, 1), -100)], 1)
    counts = [(rows[:, 1:].reshape(-1), -100), (shifted.reshape(-1), -100), (rows[:, 1:], None)]
    for label, ignore in counts:
        found = padding_tokens.PaddingTokens()
        found.labels(label, ignore, [rows])
        facts = found.gather()
        assert facts["token"] == 0 and facts["elements"] == 138 and facts["share"] == pytest.approx(FILLED / 138, abs=1e-6)
    found = padding_tokens.PaddingTokens()
    for given in ([], [rows]):  # at first the model is not known
        found.labels(rows[:, 1:].reshape(-1), -100, given)
    assert found.gather()["elements"] == 138
    masked = rows.masked_fill(rows == 0, -100)
    for label, ignore in ((masked.reshape(-1), -100), (rows.reshape(-1), 0)):
        found = padding_tokens.PaddingTokens()
        found.labels(label, ignore, [rows])
        assert found.gather() is None


@pytest.mark.parametrize("loss,counts", [
    (lambda x, y: F.cross_entropy(x, y), True),
    (lambda x, y: F.cross_entropy(x, y, reduction="sum") / 138, True),
    (lambda x, y: F.cross_entropy(x, y, reduction="none")[y != 0].mean(), False),  # the script may mask them
    (lambda x, y: (F.cross_entropy(x, y, reduction="none") * (y != 0)).sum() / 69, False),
    (lambda x, y: F.cross_entropy(x, y, weight=(torch.arange(51) > 0).float()), False),
])
def test_what_counts(loss, counts):
    rows = sequences(0)
    labels = Labels(ahead=NextPlace())
    labels.ahead.given = [rows]
    scores = torch.randn(138, 51, requires_grad=True) * 1
    labels.backward(loss(scores, rows[:, 1:].reshape(-1)).grad_fn)
    assert (labels.filler.gather() is not None) is counts
    for reduction in ("mean", "none"):
        labels = Labels(ahead=NextPlace())
        labels.ahead.given = [rows]
        labels.call(nn.CrossEntropyLoss(reduction=reduction), (scores, rows[:, 1:].reshape(-1)), {})
        assert (labels.filler.gather() is not None) is (reduction == "mean")
