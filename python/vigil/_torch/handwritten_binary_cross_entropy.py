"""Cross-entropy of yes and no that a script writes out: the label times the logarithm of a probability, and the rest times that of its opposite.

The graph keeps both factors, as they were before one was stretched to the shape
of the other. Read before backward; no reference to the graph is kept.
"""

import torch

from vigil._torch import device, graph, handwritten_losses, parameter_penalty, summary
from vigil._torch.operations import SHAPES, base

FUNCTION = "binary_cross_entropy_with_logits"
_MOST = 128  # nodes of the sum
_STEPS = 8  # between a logarithm and a sigmoid
_LARGEST = 1 << 22  # numbers of labels that are compared
_BESIDE = frozenset(("Clamp", "ClampMin", "ClampMax", "Add"))  # what keeps a probability from being 0


def given(node, outputs, sign=1):
    """(function, prediction, label, False, node of the prediction), as of handwritten_losses.given: the prediction is what sigmoid gets. None without such a loss.

    sign: -1 where it is subtracted from something. What is masked, or weighted by place, is left out: nobody knows then which labels count.
    """
    for label, _, side in _pairs(node, sign):
        prediction = _prediction(side, outputs)
        if prediction is not None:
            return FUNCTION, prediction, label, False, side[0]
    return None


def weight_of_yes(node):
    """How much a yes counts where a no counts 1; None without such a loss, and where terms are weighted by what the model gives, as focal losses do."""
    for _, weight, _ in _pairs(node, 1):
        return weight
    return None


def _pairs(node, sign):
    """(labels, weight of a yes, what _logarithm gives of the yes) of the pairs of terms."""
    sides = _sides(node, sign)
    for opposite, weight, side, factor in sides:
        if opposite:
            continue
        for other, rest, against, least in sides:
            if other and against[0] is side[0]:
                label, scale = _label(weight, rest)
                if label is not None:
                    yield label, scale * factor / least if factor and least and scale else None, side


def _sides(node, sign):
    """[(whether it is the opposite, how much the loss makes it larger, what _logarithm gives, the number that this is multiplied with or None)] of the terms."""
    out, stack = [], [(node, float(sign))]
    for _ in range(_MOST):
        if not stack:
            break
        node, sign = stack.pop()
        if node is None:
            continue
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        if kind in ("Mean", "Sum") or kind in SHAPES and below:
            stack.append((below[0], sign))
        elif kind in ("Neg", "Rsub"):
            stack.append((below[0], -sign))
        elif kind in ("Add", "Sub"):
            stack.extend((n, -sign if kind == "Sub" and i else sign) for i, n in reversed(list(enumerate(below))))
        elif kind in ("Mul", "Div"):
            scaled = parameter_penalty.scaled(node, kind)
            if scaled is not None:
                stack.append((scaled[0], sign * scaled[1]))
                continue
            found = _weighed(node, below) if kind == "Mul" and len(below) == 2 else None
            if found is not None:
                weight, side, plain = found
                out.append((side[1], weight if side[2] * sign < 0 else -weight, side, abs(sign) if plain else None))
    return out


def _weighed(node, below):
    """(weight, what _logarithm gives, whether that is all) of a logarithm times a constant, or times a constant and a power, as focal losses have it; None of others."""
    for i, side in enumerate(("other", "self")):
        found = _logarithm(below[i])
        if found is None:
            continue
        if below[1 - i] is None:
            weight = graph.saved(node, side)
        else:
            weight = _factor(below[1 - i])
        if weight is None or not weight.dim() or not summary.readable(weight):
            return None
        return weight.detach().float() if weight.dtype == torch.bool else weight.detach(), found, below[1 - i] is None
    return None


def _factor(node):
    """The one constant that is no number among the factors of a power, with the sign of those that are; None where there is none, or another."""
    found, sign = None, 1
    for _ in range(_STEPS):
        if node is None or base(node) != "Mul" or len(node.next_functions) != 2:
            break
        below = [n for n, _ in node.next_functions]
        if below[0] is not None and below[1] is not None:
            break
        weight = graph.saved(node, "other" if below[1] is None else "self")
        if weight is None or not summary.readable(weight) or weight.dim() and found is not None or not weight.dim() and weight.device.type != "cpu":
            return None
        if weight.dim():
            found = weight.detach()
        elif float(weight) < 0:
            sign = -sign
        node = below[0] if below[1] is None else below[1]
    if found is None or node is None or base(node) != "Pow":
        return None
    return found if sign > 0 else -found


def _logarithm(node):
    """(node of what sigmoid gets, whether of the opposite, sign, node with the value, what it keeps, whether that is a probability) or None."""
    sign = 1
    if node is not None and base(node) == "Neg":
        node, sign = node.next_functions[0][0], -1
    if node is None:
        return None
    kind = base(node)
    if kind in ("LogSigmoid", "Softplus"):
        if kind == "Softplus" and getattr(node, "_saved_beta", 1) != 1:
            return None
        below = node.next_functions[0][0]
        turned = below is not None and base(below) == "Neg"
        if kind == "Softplus":  # -log_sigmoid of minus what it gets
            sign = -sign
        scores = below.next_functions[0][0] if turned else below
        return None if scores is None else (scores, turned != (kind == "Softplus"), sign, node, "self", turned)
    if kind != "Log":
        return None
    opposite = False
    node = node.next_functions[0][0]
    for _ in range(_STEPS):
        if node is None:
            return None
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        if kind == "Sigmoid":
            return None if below[0] is None else (below[0], opposite, sign, node, "result", False)
        if kind == "Rsub" or kind == "Sub" and below[0] is None:
            opposite = not opposite
        elif kind not in SHAPES and kind not in _BESIDE and kind != "Sub":
            return None
        there = [n for n in below if n is not None]
        node = there[0] if len(there) == 1 else None
    return None


def _prediction(side, outputs):
    """What sigmoid gets."""
    scores, _, _, node, kept, turned = side
    output = handwritten_losses.of(scores, outputs)
    if output is not None and output.grad_fn is scores:
        return output
    value = graph.saved(node, kept)
    if value is None or not summary.readable(value):
        return None
    with torch.no_grad():
        value = value.detach()
        return torch.logit(value, eps=1e-7) if kept == "result" else -value if turned else value


def _label(weight, rest):
    """(labels, how often they are in the first) of what both logarithms are multiplied with; the labels are None where these are none. The yes may have a weight."""
    if weight.shape != rest.shape or not weight.is_floating_point() or weight.numel() > _LARGEST or not weight.numel():
        return None, 0.0
    with torch.no_grad():
        label = 1 - rest
        label = handwritten_losses._exact(label, (label.abs() + 1) * torch.finfo(rest.dtype).eps * 2)
        most = label.abs().max()
        scale = weight.abs().max() / most
        fits = ((weight - scale * label).abs() <= 1e-4 * weight.abs().max()).all()
        # Read together: a device is waited for once.
        most, never, scale, fits = device.here(torch.stack([x.to(most.dtype) for x in (most, (weight == 0).all(), scale, fits)])).tolist()
        if not most > 0:
            return (label if never else None), 0.0
        return (label if scale > 0 and fits else None), scale
