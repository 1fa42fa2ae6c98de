"""A recurrent layer of which the loss takes the last state only, after padding: what is left there of the sequences."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from vigil._torch import after_padding

N, T, WIDTH = 8, 120, 12
LENGTHS = torch.tensor([4, 9, 11, 6, 5, 8, 7, 10])
PAD = torch.arange(T) >= LENGTHS[:, None]
IDS = torch.randint(1, 40, (N, T), generator=torch.Generator().manual_seed(0)).masked_fill(PAD, 0)
FEATURES = torch.randn(N, T, WIDTH, generator=torch.Generator().manual_seed(1)).masked_fill(PAD[..., None], 0)
SHORT = IDS[:, :12]


def last(out, state):
    return out[:, -1]


def of_state(out, state):
    return (state[0] if isinstance(state, tuple) else state)[-1]


def dropped(out, state):
    return nn.functional.layer_norm(out, out.shape[-1:])[:, -1:, :]


def mean(out, state):
    return out.mean(1)


def own(out, state):
    return out[torch.arange(N), LENGTHS - 1]


def attends(out, state):
    return (out @ of_state(out, state)[..., None]).softmax(1) * out


def look(module, take, x, given=None, first=True):
    torch.manual_seed(0)
    x = x if x.is_floating_point() else nn.Embedding(40, WIDTH)(x)
    output = module(x if first else x.transpose(0, 1))
    one = after_padding.look(module, output, [IDS if given is None else given])
    if one is None:
        return None
    out = output[0] if first else output[0].transpose(0, 1)
    take(out, output[1]).pow(2).sum().backward()
    one.forget()
    return one.gather()


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize("take", [last, of_state, dropped])
def test_after_the_padding(kind, take):
    torch.manual_seed(0)
    facts = look(kind(WIDTH, 16, batch_first=True), take, IDS)
    assert (facts["length"], facts["padding"], facts["token"]) == (T, 112, 0)
    assert facts["left"] < 1e-6
    assert look(kind(WIDTH, 16), take, IDS, first=False)["left"] < 1e-6
    assert look(kind(WIDTH, 16, num_layers=2, batch_first=True), take, IDS)["padding"] == 112


def test_both_ways():
    torch.manual_seed(0)
    module = nn.GRU(WIDTH, 16, batch_first=True, bidirectional=True)
    assert look(module, last, IDS)["left"] < 1e-6
    assert look(module, of_state, IDS) is None  # what reads backwards ends where the sequence begins


def test_features():
    torch.manual_seed(0)
    facts = look(nn.GRU(WIDTH, 16, batch_first=True), last, FEATURES, FEATURES)
    assert facts["token"] is None
    assert facts["left"] < 1e-6


def test_hardly_any_padding():
    torch.manual_seed(0)
    assert look(nn.LSTM(WIDTH, 16, batch_first=True), last, SHORT, SHORT)["left"] > 1e-3


@pytest.mark.parametrize("take", [mean, own, attends])
def test_more_is_used(take):
    assert look(nn.GRU(WIDTH, 16, batch_first=True), take, IDS) is None


@pytest.mark.parametrize(
    "ids",
    [
        IDS.flip(1),  # padding at the front
        torch.randint(1, 40, (N, T)),
        torch.cat([torch.randint(1, 40, (N, 8)), torch.zeros(N, T - 8, dtype=torch.long)], 1),  # blanks that the task has
    ],
)
def test_no_padding_at_the_end(ids):
    assert look(nn.GRU(WIDTH, 16, batch_first=True), last, ids, ids) is None


def test_packed():
    module = nn.GRU(WIDTH, 16, batch_first=True)
    output = module(pack_padded_sequence(FEATURES, LENGTHS, batch_first=True, enforce_sorted=False))
    assert after_padding.look(module, output, [IDS]) is None
