"""What the autograd graph says about the tensor that ``backward`` was called on.

Read before backward, while the graph is there; no reference to it is kept.
"""

import weakref

import torch

from vigil._torch import saved_tensor_hooks

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


def base(loss, ranks=1):
    """(factor, node) of a scalar loss: value = factor * what the node gave.

    factor is a positive float, or a list of tensors and inverse flags when it
    lies on a device that reading would wait for. Only constant factors count:
    the other operand needs no gradient. A division directly on a sum is a mean
    written by hand and stays; so does a negative factor, which would turn the
    sign of what the script minimises.

    ranks: number of processes that train one model. Who divides a sum by the
    number of terms of all ranks multiplies by it, because gradients are averaged
    over ranks: such a factor stays too.
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
                other, next_node = saved(node, "self"), below[1][0]
                if name == "DivBackward0":
                    break  # constant / x is not a factor
            else:
                if len(below) > 1 and below[1][0] is not None:
                    break
                other, next_node = saved(node, "other"), below[0][0]
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
    if _is_sum(node):
        # The first division above a sum makes a mean of it, and what is below that division belongs to it.
        first = next((i for i in range(len(chain) - 1, -1, -1) if chain[i][1]), None)
        if first is not None:
            node = chain[first][0]
            del chain[first:]
            if ranks > 1:
                chain = [c for c in chain if c[1] or c[2].device.type != "cpu" or float(c[2].item()) != ranks]
    factor = 1.0
    for _, inverse, other in chain:
        if other.device.type != "cpu":
            return [(o, i) for _, i, o in chain], node
        value = float(other.item())
        factor = factor / value if inverse else factor * value
    if not (0.0 < factor < float("inf")):
        return 1.0, loss.grad_fn
    return factor, node


def is_scaling(node):
    """Whether ``base`` would look beyond this node."""
    name = type(node).__name__
    return node is None or name in _SCALINGS or name in _SAME_VALUE


def expanded(node):
    """Whether what a loss function compares was stretched to another shape just before."""
    return any(n is not None and type(n).__name__.startswith("ExpandBackward") for n, _ in node.next_functions)


def share(node):
    """A Share when the loss below ``node`` is a sum of terms divided by a number, else None."""
    queue, seen = [node], 0
    while queue and seen < _STEPS:
        node = queue.pop(0)
        seen += 1
        name = type(node).__name__
        if name == "DivBackward0":
            below = node.next_functions
            if below[0][0] is not None and (len(below) < 2 or below[1][0] is None):
                terms = _sum_below(below[0][0])
                divisor = saved(node, "other")
                if terms is not None and isinstance(divisor, torch.Tensor) and divisor.numel() == 1:
                    return Share(divisor, *terms)
        if name in _SCALINGS or name in _SAME_VALUE or name in ("AddBackward0", "SubBackward0"):
            queue.extend(n for n, _ in node.next_functions if n is not None)
    return None


def _sum_below(node):
    """(node of the sum, constant factor between) when only such factors stand between."""
    factor = 1.0
    for _ in range(_STEPS):
        if node is None:
            return None
        if _is_sum(node):
            return node, factor
        name = type(node).__name__
        if name == "MulBackward0" and len(node.next_functions) == 2 and (node.next_functions[0][0] is None) != (node.next_functions[1][0] is None):
            first = node.next_functions[0][0]
            other = saved(node, "other" if first is not None else "self")
            if not isinstance(other, torch.Tensor) or other.numel() != 1 or other.device.type != "cpu":
                return None
            factor *= float(other.item())
            node = first if first is not None else node.next_functions[1][0]
        elif name in _SAME_VALUE:
            node = node.next_functions[0][0]
        else:
            return None
    return None


class Share(object):
    """What a loss that is a sum divided by a number says about its place among micro-batches.

    divisor: weak reference to the tensor that it was divided by; number: its
    value, divided by the constant factors of the sum, None when reading it would
    wait for a device; terms: how many terms the sum has, at the most where
    telling it exactly would wait, None when the graph does not say.
    """

    __slots__ = ("divisor", "number", "terms")

    def __init__(self, divisor, node, factor):
        self.divisor = weakref.ref(divisor)
        self.number = float(divisor.item()) / factor if divisor.device.type == "cpu" and factor else None
        self.terms = _terms(node)


def shares(parts):
    """Whether the Shares of the micro-batches of one update are parts of one mean.

    Who counts the terms of all micro-batches beforehand and divides each sum by
    that count means the sum of what comes out, not its average.
    """
    if len(parts) < 2 or any(p is None for p in parts):
        return False
    numbers = [p.number for p in parts]
    if all(p.terms is not None and p.terms == p.number for p in parts):
        return False  # each by its own count
    divisor = parts[0].divisor()
    if divisor is not None and all(p.divisor() is divisor for p in parts):
        return True
    if any(p.terms is None for p in parts) or numbers[0] is None or any(n != numbers[0] for n in numbers):
        return False
    return sum(p.terms for p in parts) == numbers[0]


def _terms(node):
    """How many terms a sum has, or None."""
    name = type(node).__name__
    if name.startswith("SumBackward"):
        sizes = getattr(node, "_saved_self_sym_sizes", None) or getattr(node, "_saved_self_sizes", None)
        return product(sizes) if sizes else None
    if name.startswith("NllLoss"):
        target = saved(node, "target")
        if target is None:
            return None
        if target.device.type != "cpu":
            return target.numel()
        return int((target != ignored(node)).sum())
    value = saved(node, "self")
    return None if value is None else value.numel()


def ignored(node):
    """The label that a loss function leaves out, or None."""
    label = getattr(node, "_saved_ignore_index", None)
    # Some releases show it without its sign.
    return label - (1 << 64) if label is not None and label >= 1 << 63 else label


def product(sizes):
    out = 1
    for n in sizes:
        out *= int(n)
    return out


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
        found = loss_of(node)
        if found:
            return found, node
        queue.extend(n for n, _ in node.next_functions)
    return "", None


# Errors that are the same whichever of the two comes first.
_EITHER_WAY = frozenset("mse_loss l1_loss smooth_l1_loss huber_loss MSELoss L1Loss SmoothL1Loss HuberLoss".split())


def swapped(name, prediction, label):
    """Whether a symmetric loss got its arguments the other way round: predictions are what has a gradient."""
    return name in _EITHER_WAY and prediction is not None and label is not None and label.requires_grad and not prediction.requires_grad


def loss_of(node):
    """Name of the loss function that left this very node, "" of any other node."""
    found = _FUNCTIONS.get(type(node).__name__.rstrip("0123456789"), "")
    return "cross_entropy" if found == "nll_loss" and of_log_softmax(node) else found


def of_log_softmax(node):
    """Whether nll_loss gets log_softmax; in between stands what gives sequences and maps the shape that it wants."""
    below = node.next_functions[0][0] if node.next_functions else None
    for _ in range(4):
        if below is None or type(below).__name__ not in _SAME_VALUE:
            break
        below = below.next_functions[0][0]
    return below is not None and type(below).__name__.startswith("LogSoftmax")


def saved(node, name):
    """A tensor that a node saved, None when it has none or reading it would run code of the script."""
    saved = getattr(node, "_raw_saved_" + name, None)
    if saved is None or saved_tensor_hooks.runs_code(saved):
        return None
    try:
        value = getattr(node, "_saved_" + name)
    except RuntimeError:
        return None  # changed in place since: backward itself will say so
    return value if isinstance(value, torch.Tensor) else None
