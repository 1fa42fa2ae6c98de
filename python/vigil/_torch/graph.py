"""What the autograd graph says about the tensor that ``backward`` was called on.

Read before backward, while the graph is there; no reference to it is kept.
"""

import torch

# What a loss function leaves in the graph, and the name users know it by.
_FUNCTIONS = {
    "NllLossBackward": "nll_loss",
    "NllLoss2DBackward": "nll_loss",
    "MseLossBackward": "mse_loss",
    "L1LossBackward": "l1_loss",  # PyTorch 1.x
    "SmoothL1LossBackward": "smooth_l1_loss",
    "HuberLossBackward": "huber_loss",
    "BinaryCrossEntropyBackward": "binary_cross_entropy",
    "BinaryCrossEntropyWithLogitsBackward": "binary_cross_entropy_with_logits",
    "KlDivBackward": "kl_div",
    "CtcLossBackward": "ctc_loss",
    "CudnnCtcLossBackward": "ctc_loss",
    "SoftMarginLossBackward": "soft_margin_loss",
    "MultiMarginLossBackward": "multi_margin_loss",
    "MultilabelMarginLossBackward": "multilabel_margin_loss",
    "CompiledFunctionBackward": "compiled",
}
_SCALINGS = ("MulBackward0", "DivBackward0")
_SAME_VALUE = frozenset(("ToCopyBackward0", "ViewBackward0", "ReshapeAliasBackward0", "SqueezeBackward0", "SqueezeBackward1",
                         "AliasBackward0", "CloneBackward0", "UnsqueezeBackward0", "UnsafeViewBackward0"))  # fmt: skip
_STEPS = 16  # nodes looked at for factors; real chains have one to four
_NODES = 64  # nodes looked at for the name of the loss


def base(loss):
    """(factor, node) of a scalar loss: value = factor * what the node gave.

    factor is a positive float, or a list of tensors and inverse flags when it
    lies on a device that reading would wait for. Only constant factors count:
    the other operand needs no gradient. A division directly on a sum is a mean
    written by hand and stays; so does a negative factor, which would turn the
    sign of what the script minimises.
    """
    node = loss.grad_fn
    chain = []
    for _ in range(_STEPS):
        if node is None:
            break
        name = type(node).__name__
        if name in _SCALINGS:
            below = node.next_functions
            if below[0][0] is None:
                other, next_node = node._saved_self, below[1][0]
                if name == "DivBackward0":
                    break  # constant / x is not a factor
            else:
                if len(below) > 1 and below[1][0] is not None:
                    break
                other, next_node = node._saved_other, below[0][0]
            if not isinstance(other, torch.Tensor) or other.numel() != 1:
                break
            chain.append((node, name == "DivBackward0", other))
            node = next_node
        elif name in _SAME_VALUE:
            node = node.next_functions[0][0]
        else:
            break
    if not chain:
        return 1.0, node
    if chain[-1][1] and _is_sum(node):
        node = chain.pop()[0]
    factor = 1.0
    for _, inverse, other in chain:
        if other.device.type != "cpu":
            return [(o, i) for _, i, o in chain], node
        value = float(other.item())
        factor = factor / value if inverse else factor * value
    if not (0.0 < factor < float("inf")):
        return 1.0, node
    return factor, node


def is_scaling(node):
    """Whether ``base`` would look beyond this node."""
    name = type(node).__name__
    return node is None or name in _SCALINGS or name in _SAME_VALUE


def expanded(node):
    """Whether what a loss function compares was stretched to another shape just before."""
    return any(n is not None and type(n).__name__.startswith("ExpandBackward") for n, _ in node.next_functions)


def _is_sum(node):
    if node is None:
        return False
    if type(node).__name__ in ("SumBackward0", "SumBackward1"):
        return True
    return getattr(node, "_saved_reduction", 1) == 2


def name(node):
    """Name of the loss function below ``node`` as users know it, or "" when the graph does not say."""
    return find(node)[0]


def find(node):
    """(name, node) of the loss function below ``node``; ("", None) when the graph does not say."""
    queue = [node]
    seen = {}  # keeps the nodes: the id of one that is gone may come again
    for _ in range(_NODES):
        if not queue:
            break
        node = queue.pop(0)
        if node is None or id(node) in seen:
            continue
        seen[id(node)] = node
        kind = type(node).__name__.rstrip("0123456789")
        found = _FUNCTIONS.get(kind)
        if found == "nll_loss":
            below = node.next_functions
            if below and type(below[0][0]).__name__.startswith("LogSoftmax"):
                return "cross_entropy", node
        if found:
            return found, node
        queue.extend(n for n, _ in node.next_functions)
    return "", None


def saved(node, name):
    """A tensor that a node saved, None when it has none or reading it would run code of the script.

    Whoever saves tensors in a way of their own (offloading, checkpointing) has
    them computed again when they are read.
    """
    saved = getattr(node, "_raw_saved_" + name, None)
    if saved is None or getattr(saved, "unpack_hook", None) is not None:
        return None
    try:
        value = getattr(node, "_saved_" + name)
    except RuntimeError:
        return None  # changed in place since: backward itself will say so
    return value if isinstance(value, torch.Tensor) else None
