"""Padding masks the wrong way round: what attention hides of each sample, next to the sequences that the model was given."""

import torch

from vigil._torch import graph, operations, summary

MOST_SEQUENCES = 4  # that are kept for a step
MOST_MAPS = 2  # that are compared
LARGEST = 1 << 24  # elements of a map
LEAST = 16  # places that are seen, and that are hidden
KINDS = 4  # different tokens among the hidden ones, at least
_SOFTMAXES = ("Softmax", "SafeSoftmax")


class Sequences(object):
    """Sequences of tokens, or of features, that a forward was given. They are kept until backward."""

    def __init__(self):
        self.kept = []

    def take(self, given):
        """Arguments of the model, or of an embedding."""
        for x in given:
            if not isinstance(x, torch.Tensor) or len(self.kept) >= MOST_SEQUENCES or x.is_meta or x.device.type != "cpu" or not summary.readable(x):
                continue
            tokens = x.dim() == 2 and not x.is_floating_point() and x.dtype != torch.bool and not x.is_complex()
            if (tokens or x.dim() == 3 and x.is_floating_point()) and x.shape[0] > 1 and x.shape[1] >= 4:
                self.kept.append(x.detach())

    def forget(self):
        self.kept = []


def seen(nodes):
    """Of the first attention maps among ``nodes`` the places of keys that anybody sees: [bool (samples and heads, places), NaN and blank rows are left out]."""
    found = []
    for node in nodes:
        one = _of_softmax(node) if operations.base(node) in _SOFTMAXES else _of_fused(node)
        if one is not None:
            found.append(one)
            if len(found) >= MOST_MAPS:
                break
    return found


def _of_softmax(node):
    x = graph.saved(node, "result")
    if x is None or x.dim() not in (3, 4) or not _readable(x):
        return None
    with torch.no_grad():
        x = x.detach()
        told = (x.amax(-1) != x.amin(-1)) & ~x.isnan().any(-1)  # where all is hidden every weight is the same
        return ((x > 1e-7) & told[..., None]).any(-2), told.any(-1)


def _of_fused(node):
    if not operations.base(node).startswith("ScaledDotProduct"):
        return None
    mask = graph.saved(node, "attn_mask")
    if mask is None:
        mask = graph.saved(node, "attn_bias")
    if mask is None or mask.dim() not in (3, 4) or not _readable(mask):
        return None
    with torch.no_grad():
        mask = mask.detach()
        rows = mask if mask.dtype == torch.bool else mask > -1e4
        return rows.any(-2), rows.any(-1).any(-1)


def _readable(x):
    return x.device.type == "cpu" and 0 < x.numel() <= LARGEST and summary.readable(x)


def inverted(maps, sequences):
    """HiddenFacts of the first map that hides what is no padding and shows the padding, or None. maps: as of ``seen``."""
    for shown, told in maps:
        for x in sequences:
            facts = _compare(shown, told, x)
            if facts is not None:
                return facts
    return None


def _compare(shown, told, x):
    n, length = x.shape[:2]
    if shown.shape[0] % n or not length <= shown.shape[-1] <= length + 2:
        return None
    shown = shown.reshape(n, -1, shown.shape[-1])  # 3-d maps have samples and heads in one axis
    told = told.reshape(n, -1)
    if shown.shape[1] > 1 and bool((shown != shown[:, :1]).any()):
        return None  # heads of their own
    told = told.any(1)
    shown = shown[:, 0][told]
    if not len(shown):
        return None
    if x.is_floating_point():
        blank = (x == 0).all(-1)
        x = torch.where(blank, 0, torch.arange(1, x[..., 0].numel() + 1).reshape(x.shape[:2]))
    x = x[told]
    for part in {shown.shape[-1] - length, 0}:
        facts = _judge(shown[:, part : part + length], x)
        if facts is not None:
            return facts
    return None


def _judge(shown, x):
    """One token is seen and nothing else; all others are hidden, and that one never; and it is at one end of each sequence, as padding does."""
    if int(shown.sum()) < LEAST or int((~shown).sum()) < LEAST:
        return None
    padding = x[shown][0]
    is_padding = x == padding
    if not bool((is_padding == shown).all()) or len(torch.unique(x[~shown])) < KINDS:
        return None
    at_end = is_padding.int().diff(dim=1)
    if not (bool((at_end >= 0).all()) or bool((at_end <= 0).all())):
        return None
    return {"token": int(padding), "seen": int(shown.sum()), "hidden": int((~shown).sum())}
