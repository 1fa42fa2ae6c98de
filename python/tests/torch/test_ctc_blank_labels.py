"""Labels of ctc_loss that are its blank."""

import pytest
import torch
import torch.nn.functional as F

from vigil._torch.ctc_blank_labels import BlankLabels
from vigil._torch.labels import Labels


def seen(rows, lengths=None, blank=0, flat=False):
    lengths = lengths or [len(row) for row in rows]
    if flat:
        targets = torch.tensor([x for row in rows for x in row])
    else:
        most = max(map(len, rows))
        targets = torch.tensor([row + [blank] * (most - len(row)) for row in rows])
    scores = torch.randn(20, len(rows), 6, requires_grad=True)
    loss = F.ctc_loss(scores.log_softmax(2), targets, torch.full((len(rows),), 20), torch.tensor(lengths), blank=blank)
    blanks = BlankLabels()
    blanks.take((2 * loss).grad_fn)
    return blanks.gather()


WORDS = [[0, 3, 2, 0, 1], [2, 0], [4, 0, 1, 1]]


@pytest.mark.parametrize("flat", [False, True])
def test_a_label_is_the_blank(flat):
    assert seen(WORDS, flat=flat) == {"index": 0, "labels": 10, "named": 3, "pairs": 2}


@pytest.mark.parametrize(
    "rows,lengths,blank",
    [
        ([[1, 3, 2], [2, 4], [5]], None, 0),  # padded with the blank, whose lengths say so
        ([[1, 3, 2], [2, 4, 0], [5, 0, 0]], None, 0),  # whose lengths do not
        ([[1, 0, 1, 2], [3, 0, 3]], None, 0),  # the blank between labels that are the same
        ([[0, 3, 2], [2, 4], [0]], None, 5),  # the blank is the last index
        ([[1, 2, 0, 1], [3, 2, 0, 0]], [2, 2], 0),  # what comes after the length
    ],
)
def test_sound_labels(rows, lengths, blank):
    assert seen(rows, lengths, blank) is None


def test_a_blank_between_all_labels_has_no_pairs():
    assert seen([[0, 1, 0, 2, 0, 3], [0, 2, 0, 4]])["pairs"] == 0


def test_the_labels_of_a_training_tell_it():
    labels = Labels()
    scores = torch.randn(20, 3, 6, requires_grad=True)
    loss = F.ctc_loss(scores.log_softmax(2), torch.tensor([x for row in WORDS for x in row]), [20] * 3, [len(row) for row in WORDS])
    labels.backward(loss.grad_fn)
    assert labels.gather("ctc_loss")["blanks"]["named"] == 3
