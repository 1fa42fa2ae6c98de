"""A padding mask that is the wrong way round is read from the graph, however attention is written."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import autograd, inverted_padding_mask

N, T, WIDTH = 6, 12, 8
LENGTHS = torch.tensor([4, 9, 11, 6, 5, 8])
PAD = torch.arange(T) >= LENGTHS[:, None]
IDS = torch.randint(1, 40, (N, T), generator=torch.Generator().manual_seed(0)).masked_fill(PAD, 0)
LEFT = IDS.flip(1)
FEATURES = torch.randn(N, T, WIDTH, generator=torch.Generator().manual_seed(1)).masked_fill(PAD[..., None], 0)
TABLE = nn.Embedding(40, WIDTH)
MULTIHEAD = nn.MultiheadAttention(WIDTH, 2, batch_first=True)
ENCODER = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 2, 16, 0.0, batch_first=True), 2)


def weights(x, pad):
    return MULTIHEAD(x, x, x, key_padding_mask=pad)[0]


def no_weights(x, pad):
    return MULTIHEAD(x, x, x, key_padding_mask=pad, need_weights=False)[0]


def encoder(x, pad):
    return ENCODER(x, src_key_padding_mask=pad)


def by_hand(x, pad):
    scores = x @ MULTIHEAD.out_proj(x).transpose(1, 2)
    return scores.masked_fill(pad[:, None, :], -1e9).softmax(-1) @ x


def fused(x, pad):
    q = MULTIHEAD.out_proj(x)[:, None]
    return F.scaled_dot_product_attention(q, x[:, None], x[:, None], attn_mask=~pad[:, None, None, :])


def with_a_class_token(x, pad):
    x = torch.cat([torch.ones(N, 1, WIDTH), x], 1)
    return encoder(x, torch.cat([torch.zeros(N, 1, dtype=torch.bool), pad], 1))


def look(attend, pad, given):
    """What is told of a step that was given ``given``: tokens or features."""
    x = given if given.is_floating_point() else TABLE(given)
    graphs = autograd.Graphs()
    graphs.take(attend(x, pad).pow(2).mean())
    sequences = inverted_padding_mask.Sequences()
    sequences.take((given,))
    graphs.compare(sequences.kept)
    return graphs.hidden


FUSED = pytest.param(fused, marks=pytest.mark.skipif(not hasattr(F, "scaled_dot_product_attention"), reason="PyTorch 1.13 has no scaled_dot_product_attention"))


@pytest.mark.parametrize("attend", [weights, no_weights, encoder, by_hand, FUSED, with_a_class_token])
@pytest.mark.parametrize("given", [IDS, LEFT, FEATURES], ids=["tokens", "padded on the left", "features"])
def test_wrong_way_round(attend, given):
    pad = PAD.flip(1) if given is LEFT else PAD
    assert look(attend, ~pad, given) == {"token": 0, "seen": int(PAD.sum()), "hidden": int((~PAD).sum())}
    assert look(attend, pad, given) is None


def test_all_of_a_sequence_is_hidden():
    """Of a sequence without padding the wrong mask leaves nothing; the others tell."""
    ids = IDS.clone()
    ids[2] = 7
    assert look(weights, ids != 0, ids)["token"] == 0
    assert look(by_hand, ids != 0, ids)["token"] == 0


@pytest.mark.parametrize(
    "pad,given",
    [
        (torch.zeros(N, T, dtype=torch.bool), IDS),  # no mask
        (IDS < 20, IDS),  # tokens of some kind are left out
        (IDS.flip(0) != 0, IDS),  # of other samples
        (~PAD, torch.randint(1, 40, (N, T))),  # ends are seen, of whatever
        (IDS != 0, (IDS != 0).long()),  # hardly any different tokens
    ],
)
def test_other_masks(pad, given):
    assert look(weights, pad, given) is None
