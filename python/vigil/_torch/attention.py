"""Who sees whom in the attention of one forward: read from the autograd graph, which keeps the weights or their mask."""

import torch

from vigil._torch import graph, operations, summary

_MAPS = 64  # that are looked at
_ROWS = 4  # samples and heads of each
_SOFTMAXES = ("Softmax", "SafeSoftmax")


def maps(nodes):
    """AttentionFacts of the attention of a sequence to itself among ``nodes``, or None.

    Counted are maps of one length to itself, the longest that there is; causal
    are those in which no place sees a later one.
    """
    found = {}  # length -> [maps, causal]
    for node in nodes:
        one = _weights(node) if operations.base(node) in _SOFTMAXES else _fused(node)
        if one is None:
            continue
        length, causal = one
        counts = found.setdefault(length, [0, 0])
        counts[0] += 1
        counts[1] += causal
        if sum(c[0] for c in found.values()) >= _MAPS:
            break
    return [{"length": n, "maps": c[0], "causal": c[1]} for n, c in sorted(found.items())] or None


def _weights(node):
    """(length, whether nobody sees what comes later) of a softmax over pairs of places, or None."""
    x = graph.saved(node, "result")
    if x is None or x.dim() < 3 or not _square(x.shape) or not summary.readable(x) or x.device.type != "cpu":
        return None
    with torch.no_grad():
        rows = x.detach().reshape(-1, x.shape[-2], x.shape[-1])[:_ROWS]
        if float((rows.sum(-1) - 1).abs().max()) > 1e-2:
            return None  # over another axis
        seen = rows > 0
        blank = rows.amax(-1) == rows.amin(-1)  # all is hidden from it, as from padding on the left, and softmax makes that one weight
        if not blank.all():
            seen &= ~blank[..., None]
        return int(x.shape[-1]), _causal(seen)


def _causal(seen):
    """Whether no place sees a later one, beyond a prefix that all see. seen: bool, (maps, places, places they see)."""
    later = seen.triu(1).any(1)
    for one, columns in zip(seen, later):
        prefix = int(columns.nonzero().max()) + 1 if columns.any() else 0
        # What is only padding at the end is not seen by itself either.
        if prefix and (prefix > len(columns) - 2 or not one.diagonal()[prefix:].all()):
            return False
    return True


def _fused(node):
    """The same of an operation that computes attention as a whole; its mask is added to what is compared, or says who is seen."""
    if not operations.base(node).startswith("ScaledDotProduct"):
        return None
    query, key = graph.saved(node, "query"), graph.saved(node, "key")
    if query is None or key is None or query.dim() < 3 or query.shape[-2] != key.shape[-2] or query.shape[-2] < 4:
        return None
    length = int(query.shape[-2])
    if getattr(node, "_saved_is_causal", False):
        return length, True
    mask = graph.saved(node, "attn_mask")
    if mask is None:
        mask = graph.saved(node, "attn_bias")
    if mask is None:
        return length, False
    if not _square(mask.shape) or mask.device.type != "cpu" or not summary.readable(mask):
        return None if mask.device.type != "cpu" else (length, False)
    with torch.no_grad():
        rows = mask.detach().reshape(-1, mask.shape[-2], mask.shape[-1])[:_ROWS]
        seen = rows if rows.dtype == torch.bool else rows > -1e4
        return length, _causal(seen)


def _square(shape):
    return shape[-1] == shape[-2] and shape[-1] >= 4
