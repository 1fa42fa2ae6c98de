"""The way from a loss down to the first operation that uses a parameter: what is done with a model's output."""

import torch

from vigil._torch import broadcast_comparison, cosine_logits, dropout_rate, graph, softmax_axes, summary
from vigil._torch.operations import SHAPES, WEIGHTED, base, leaf_of, neutral, shape_of, through

MOST = 64  # operations
_ROWS = frozenset(("Index", "IndexSelect", "Slice"))  # of samples
_OPAQUE = frozenset(("compiled", "checkpoint"))


class _Aside(object):
    """Takes what is said besides."""

    across, cosines, normed, stretched = False, False, False, None


def way(node):
    """The operations from a node down to the first that uses a parameter, as of the head of a graph; none without a node."""
    return of(node, _Aside()) if node is not None else []


def of(node, walk):
    """The way from the loss down to the first operation that uses a parameter. walk: told of what is stretched on it."""
    head = []
    for _ in range(4 * MOST):
        if node is None or len(head) >= MOST:
            break
        below = [n for n, _ in node.next_functions]
        kind = base(node)
        if kind == "AccumulateGrad":
            break
        if kind not in SHAPES:
            name = neutral(node)
            if name == "nll_loss":
                softmax = through(below[0]) if below else None
                if softmax is not None and base(softmax) in _ROWS:  # of some samples only, such as those of a training set
                    picked = _through_rows(softmax)
                    walk.across = walk.across or picked is not None and base(picked) == "LogSoftmax" and softmax_axes.over_samples(picked)
                if softmax is not None and base(softmax) == "LogSoftmax":
                    walk.across = walk.across or softmax_axes.over_samples(softmax)
                    name, below = "cross_entropy", [n for n, _ in softmax.next_functions]
                    walk.cosines = walk.cosines or cosine_logits.of_classes(below[0])
            elif name == "ctc_loss":
                walk.across = walk.across or softmax_axes.not_over_classes(below[0] if below else None)
            elif name in ("gather", "index"):
                walk.across = walk.across or softmax_axes.picks_across(node)
            elif name == "add" and _of_bias(below):
                name = "linear"
            elif name == "mul" and dropout_rate.share(node):
                name = "dropout"
            elif name in ("mul", "div"):
                walk.normed = walk.normed or name == "div" and softmax_axes.norm_over_samples(node)
                walk.stretched = walk.stretched or broadcast_comparison.of(node, len(head), True)
            elif name == "sub":
                product = _of_divergence(node, below)
                if product is not None:
                    name, below = "kl_div", [n for n, _ in product.next_functions]
                else:
                    walk.stretched = walk.stretched or broadcast_comparison.of(node, len(head))
            head.append(name)
            if name == "kl_div" and kind == "KlDiv" and below and below[0] is None:
                break  # what is trained is its target
            if name in WEIGHTED or name in _OPAQUE or any(leaf_of(n) is not None for n in below):
                break
        there = [n for n in below if n is not None]
        node = next((n for n in there if leaf_of(n) is None), there[0] if there else None)
    return head


def _of_bias(below):
    """Whether a sum adds a bias to a product with a weight: how a layer is computed for some layouts of what it gets, and by hand."""
    leaves = [leaf_of(n) for n in below if n is not None]
    others = [through(n) for n, leaf in zip([n for n in below if n is not None], leaves) if leaf is None]
    return len(leaves) == 2 and len(others) == 1 and others[0] is not None and neutral(others[0]) == "linear" and all(x is None or x.dim() <= 1 for x in leaves)


def _of_divergence(node, below):
    """The product of kl_div's input with its target, probabilities; None where ``node`` is no difference that kl_div makes.

    PyTorch 2 computes it in steps, target * log(target) - target * input.
    """
    if len(below) != 2 or below[0] is not None or below[1] is None or base(below[1]) != "Mul":
        return None
    factors = [n for n, _ in below[1].next_functions]
    if len(factors) != 2 or (factors[0] is None) == (factors[1] is None):
        return None
    target = graph.saved(below[1], "self" if factors[0] is None else "other")
    if target is None or target.dim() < 2 or not target.is_floating_point() or not summary.readable(target) or not target.numel():
        return None
    with torch.no_grad():
        x = target[: max((1 << 16) // max(target[0].numel(), 1), 1)]
        if x.device.type != "cpu" or float(x.min()) < 0:
            return None
        return below[1] if any(x.shape[a] > 1 and float((x.sum(a) - 1).abs().max()) <= 1e-3 for a in (1, x.dim() - 1)) else None


def _through_rows(node):
    """The first node that is more than a change of shape or type, or a choice of rows of a table."""
    for _ in range(4):
        node = through(node)
        if node is None or base(node) not in _ROWS or (shape_of(node, 0) or [0])[1:] != (shape_of(node.next_functions[0][0], 0) or [1])[1:]:
            return node
        node = node.next_functions[0][0]
    return None
