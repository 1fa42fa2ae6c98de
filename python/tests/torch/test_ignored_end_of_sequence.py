"""The label that a loss leaves out is the end of sequences, and their padding counts."""

import pytest
import torch

from vigil._torch import ignored_end_of_sequence

PAD, EOS = 0, 2
N, T = 12, 14
LENGTHS = torch.tensor([4, 9, 11, 6, 5, 8, 13, 7, 4, 10, 12, 6])


def sequences(pad=PAD, end=EOS, lengths=LENGTHS):
    rows = torch.randint(3, 9, (N, T), generator=torch.Generator().manual_seed(0))
    rows[torch.arange(T) == lengths[:, None]] = end
    rows[torch.arange(T) > lengths[:, None]] = pad
    return rows


def look(labels, ignore, given=()):
    found = ignored_end_of_sequence.IgnoredEnds()
    for label in labels:
        found.take(label, ignore, given)
    return found.gather()


FOUND = {"token": EOS, "filler": PAD, "rows": N, "after": int((T - 1 - LENGTHS).sum())}


def test_rows():
    assert look([sequences()], EOS) == FOUND
    assert look([sequences().t()], EOS) == FOUND


def test_steps():
    rows = sequences()
    assert look([rows[:, t] for t in range(T)], EOS) == FOUND  # whatever step is looked at, the sequences are the same


@pytest.mark.parametrize("given", [torch.zeros(N, T), torch.zeros(T, N)], ids=["samples first", "steps first"])
def test_one_after_the_other(given):
    rows = sequences() if given.shape[0] == N else sequences().t()
    assert look([rows.reshape(-1).clone()], EOS, [torch.zeros(3, 5), given]) == FOUND
    assert look([rows.reshape(-1)], EOS) == (FOUND if rows.is_contiguous() else None)  # a view tells by itself


def test_sequences_that_are_cut_off():
    rows = sequences(lengths=LENGTHS + 3)
    assert look([rows], EOS)["rows"] == int((LENGTHS + 3 < T).sum())


@pytest.mark.parametrize(
    "rows,ignore",
    [
        (sequences(), PAD),  # as it should be
        (sequences(), -100),
        (sequences(pad=EOS), EOS),  # one token for both
        (sequences(end=PAD), PAD),
        (sequences(pad=4), EOS),  # what comes after comes before, too
        (sequences(lengths=torch.full((N,), 9)), EOS),
        (torch.randint(0, 9, (N, T)), 5),
        ((torch.arange(T) > LENGTHS[:, None]).long() * 3 + (torch.arange(T) == LENGTHS[:, None]).long() * 2, 2),  # one class before, another after
        (torch.where(torch.arange(T) < 3, EOS, sequences()), EOS),  # a prompt that is left out
    ],
)
def test_others(rows, ignore):
    assert look([rows], ignore) is None
