"""The token that ends sequences is also the one that fills them up, and the loss leaves all of it out."""

import torch

from vigil._torch import unlabelled_end

END, PAD, IGNORE = 1, 0, -100
N, T = 12, 14
LENGTHS = torch.tensor([4, 9, 11, 6, 5, 8, 13, 7, 4, 10, 12, 6])  # places before the end
FOUND = {"token": END, "rows": N - 1, "ended": N - 1, "labels": int(LENGTHS.sum()), "counted": 0}  # one sequence needs no padding


def batch(pad=END, left=False, end=END):
    rows = torch.randint(3, 9, (N, T), generator=torch.Generator().manual_seed(0))
    places = torch.arange(T)
    rows[places == LENGTHS[:, None]] = end
    mask = (places <= LENGTHS[:, None]).long()
    rows[mask == 0] = pad
    return (rows.flip(1), mask.flip(1)) if left else (rows, mask)


def look(*calls, **options):
    found = unlabelled_end.UnlabelledEnd()
    for rows, mask in calls:
        labels = rows.clone()
        labels[rows == options.get("left_out", END)] = IGNORE
        found.take(options.get("label", labels), IGNORE, [rows, mask, labels])
    return found.gather()


def padded_in_front():
    rows, mask = batch()
    order = torch.stack([torch.cat([torch.arange(n + 1, T), torch.arange(n + 1)]) for n in LENGTHS])
    return rows.gather(1, order), mask.gather(1, order)


def test_one_token_for_both():
    assert look(batch()) == FOUND
    assert look(padded_in_front()) == FOUND
    assert look(batch(), batch()) == dict(FOUND, rows=2 * (N - 1), ended=2 * (N - 1), labels=2 * FOUND["labels"])


def test_shifted_and_flat():
    rows, mask = batch()
    labels = rows.clone()
    labels[rows == END] = IGNORE
    assert look((rows, mask), label=labels[:, 1:].reshape(-1)) == dict(FOUND, labels=FOUND["labels"] - N)


def test_the_end_counts():
    rows, mask = batch()
    labels = rows.clone()
    labels[mask == 0] = IGNORE
    assert look((rows, mask), label=labels) == dict(FOUND, labels=FOUND["labels"] + N, counted=N)


def test_two_tokens():
    assert look(batch(pad=PAD), left_out=PAD) is None


def test_labels_of_something_else():
    rows, mask = batch()
    assert look((rows, mask), label=torch.zeros(N, dtype=torch.long)) is None
    assert look((rows, mask), label=torch.full((N, T), 77)) is None


def test_without_a_mask():
    rows, _ = batch()
    found = unlabelled_end.UnlabelledEnd()
    found.take(rows, IGNORE, [rows])
    assert found.gather() is None
