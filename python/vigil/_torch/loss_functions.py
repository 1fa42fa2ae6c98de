"""The loss functions of torch.nn.functional, and what the mean of each is.

What a script calls with another reduction is brought to the value that
``reduction="mean"`` would have given, where a sum and a count say it exactly.
"""

import types

import torch

F = torch.nn.functional

CLASSES = "classes"  # a value for each label; mean: by the labels that count, or by their weights
ELEMENTS = "elements"  # a value for each element of input and target
ROWS = "rows"  # a value for each sample, and nothing simple says how many there are
GIVEN = "given"  # only what it gives as a mean is one

KINDS = {
    "cross_entropy": CLASSES,
    "nll_loss": CLASSES,
    "linear_cross_entropy": GIVEN,
    "mse_loss": ELEMENTS,
    "l1_loss": ELEMENTS,
    "smooth_l1_loss": ELEMENTS,
    "huber_loss": ELEMENTS,
    "binary_cross_entropy": ELEMENTS,
    "binary_cross_entropy_with_logits": ELEMENTS,
    "kl_div": ELEMENTS,
    "poisson_nll_loss": ELEMENTS,
    "gaussian_nll_loss": ELEMENTS,
    "soft_margin_loss": ELEMENTS,
    "hinge_embedding_loss": ELEMENTS,
    "margin_ranking_loss": ROWS,
    "cosine_embedding_loss": ROWS,
    "multi_margin_loss": ROWS,
    "multilabel_margin_loss": ROWS,
    "multilabel_soft_margin_loss": ROWS,
    "triplet_margin_loss": ROWS,
    "triplet_margin_with_distance_loss": ROWS,
    "ctc_loss": GIVEN,
}
# Their weights are of elements, and their mean is divided by these.
_DIVIDED_BY_WEIGHTS = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
# The same quantity, of what the script computed itself or left to the function.
_SAME = {"nll_loss": "cross_entropy", "binary_cross_entropy_with_logits": "binary_cross_entropy"}
_WEIGHTS = ("weight", "pos_weight", "var")
_MEANS = ("mean", "batchmean")


def found():
    """name -> function, of those that this release has and that nobody has replaced."""
    functions = ((name, getattr(F, name, None)) for name in KINDS)
    return {name: f for name, f in functions if type(f) is types.FunctionType and f.__code__.co_filename == F.__file__}


def same(one, other):
    """Whether two functions compute the same quantity."""
    return _SAME.get(one, one) == _SAME.get(other, other)


def reduction(given):
    """How a function that was given these arguments reduces."""
    size_average, reduce = given.get("size_average"), given.get("reduce")
    if size_average is None and reduce is None:
        return given.get("reduction", "mean")
    if reduce is None or reduce:
        return "mean" if size_average is None or size_average else "sum"
    return "none"


def mean(name, how, given, value):
    """(tensor, divisor, or None for 1) whose quotient is the mean of a function that returned ``value``; None where that is not clear.

    how: its reduction. The divisor is a number, or a tensor that lies on a device.
    """
    if how in _MEANS:
        return (value, None) if value.numel() == 1 else None
    kind = KINDS[name]
    if kind is GIVEN or not value.numel() or how not in ("sum", "none"):
        return None
    if kind is CLASSES:
        divisor = _labels(given)
        return None if divisor is None else (value if how == "sum" else value.detach().sum(), divisor)
    if name in _DIVIDED_BY_WEIGHTS and given.get("weight") is not None:
        return None
    if how == "none":
        return value.detach().mean(), None
    count = _elements(given) if kind is ELEMENTS else None
    return (value, count) if count else None


def _elements(given):
    """How many values are compared, None where weights would make more of them."""
    input, target = given["input"], given["target"]
    count = input.numel() if input.shape == target.shape else torch.broadcast_shapes(input.shape, target.shape).numel()
    for one in _WEIGHTS:
        weight = given.get(one)
        if isinstance(weight, torch.Tensor) and weight.numel() > count:
            return None
    return count


def _labels(given):
    """By what the mean over labels is divided: a number, a tensor of one element on a device, None where nothing counts."""
    input, target, weight, ignored = given["input"], given["target"], given.get("weight"), given.get("ignore_index", -100)
    if target.is_floating_point():  # a probability for each class
        return input.numel() // input.shape[0 if input.dim() == 1 else 1]
    here = target.device.type == "cpu"
    if weight is not None:
        flat = target.detach().reshape(-1)
        weights = weight.detach().index_select(0, flat.clamp(0, weight.numel() - 1))
        total = (weights * (flat != ignored)).sum()
    elif here and ignored < 0 and target.min().item() >= 0:
        return target.numel()
    else:
        total = (target != ignored).sum()
    return (total.item() or None) if here else total
