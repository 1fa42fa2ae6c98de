"""What a loss is the sum of: errors of a prediction, and what else is added to them.

Read from the autograd graph before backward; no reference to it is kept.
"""

from vigil._torch import graph, handwritten_losses, operations, parameter_penalty

_MOST = 400  # nodes that are looked at
_CLASSES = ("cross_entropy", "nll_loss")
_ERRORS = {"MseLoss": "mse_loss", "BinaryCrossEntropy": "binary_cross_entropy", "BinaryCrossEntropyWithLogits": "binary_cross_entropy_with_logits"}


def of(node):
    """TermFacts of the loss that ``node`` gave, or None unless it is the errors of one prediction and something else.

    weight is the factor of the mean error in the sum, places the number of values that are compared,
    factor the largest of the other terms, without its sign.
    """
    found = _taken_apart(node)
    if found is None:
        return None
    function, places, weight, others = found[1:]
    return {"function": function, "places": places, "weight": weight, "others": _kind([n for n, _ in others]), "factor": max(abs(f) for _, f in others)}


def label(node, outputs):
    """What is compared with the model's output in errors that are written out and one term of several; None when it is not known."""
    found = _taken_apart(node)
    if found is None or operations.base(found[0]) not in ("Pow", "Mul"):
        return None
    difference = handwritten_losses._difference("mse_loss", found[0], [n for n, _ in found[0].next_functions])
    given = handwritten_losses.compared(difference, outputs) if difference is not None else None
    return given[2] if given is not None else None


def _taken_apart(node):
    """(node of the errors, function, places, weight, [(node, factor)] of all other terms), or None."""
    errors, classes, others, stack = [], [], [], [(node, 1.0, 1.0)]
    for _ in range(_MOST):
        if not stack:
            break
        node, factor, outer = stack.pop()  # outer: without the averaging
        if node is None:
            return None
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        there = [n for n in below if n is not None]
        found = _errors(node, name, below)
        if found is not None:
            function, places, mean = found
            (classes if function in _CLASSES else errors).append((node, function, places, factor if mean else factor * places))
        elif name in ("Add", "Sub") and there:
            sign = float(getattr(node, "_saved_alpha", 1)) * (-1 if name == "Sub" else 1)
            stack.extend((n, factor * (sign if i else 1.0), outer * (sign if i else 1.0)) for i, n in enumerate(below) if n is not None)
        elif name == "Neg":
            stack.append((below[0], -factor, -outer))
        elif name == "Mean" and _averaged(node):
            stack.append((below[0], factor / _averaged(node), outer))
        elif name == "Sum" or name in operations.SHAPES and name != "AccumulateGrad" and there:
            stack.append((there[0], factor, outer))
        elif name in ("Mul", "Div"):
            scaled = parameter_penalty.scaled(node, name)
            if scaled is None:
                others.append((node, outer))
            else:
                stack.append((scaled[0], factor * scaled[1], outer * scaled[1]))
        else:
            others.append((node, outer))
    if errors:  # next to errors of a prediction a loss of classes is another term
        others += [(one[0], one[3]) for one in classes]
    else:
        errors = classes
    if stack or len(errors) != 1 or not others or not errors[0][3] > 0:
        return None
    return errors[0] + (others,)


def _errors(node, name, below):
    """(function, number of errors, whether they are averaged) of a node that compares a prediction with a constant, else None."""
    if name in _ERRORS:
        value = graph.saved(node, "self")
        reduction = getattr(node, "_saved_reduction", None)
        return None if value is None or reduction not in (0, 1, 2) else (_ERRORS[name], value.numel(), reduction == 1)
    if name in ("NllLoss", "NllLossD"):  # the latter: of places
        labels, reduction = graph.saved(node, "target"), getattr(node, "_saved_reduction", None)
        function = "cross_entropy" if graph.of_log_softmax(node) else "nll_loss"
        return None if labels is None or reduction not in (0, 1, 2) else (function, labels.numel(), reduction == 1)
    if name == "Pow" and getattr(node, "_saved_exponent", None) == 2 or name == "Mul" and len(below) == 2 and below[0] is not None and below[0] is below[1]:
        difference = below[0]
        if difference is not None and operations.base(difference) == "Sub" and sum(n is None for n, _ in difference.next_functions) == 1:
            value = graph.saved(node, "self")
            return None if value is None else ("mse_loss", value.numel(), False)
    return None


def _averaged(node):
    """Over how many values a mean goes; 0 when the graph does not tell."""
    sizes, axes = getattr(node, "_saved_self_sym_sizes", None) or getattr(node, "_saved_self_sizes", None), getattr(node, "_saved_dim", None)
    if sizes is None:
        return int(getattr(node, "_saved_self_sym_numel", None) or getattr(node, "_saved_self_numel", None) or 0)
    if not axes:
        return graph.product(sizes)
    axes = [a - (1 << 64) if a >= 1 << 63 else a for a in ([axes] if isinstance(axes, int) else axes)]
    return graph.product(sizes[a] for a in axes)


def _kind(nodes):
    """divergence: of normal distributions, as a variational autoencoder has it; magnitudes: of units; other."""
    names, seen, left = set(), set(), list(nodes)
    keep = []  # the id of a node that is gone may come again
    while left and len(keep) < _MOST:
        node = left.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        keep.append(node)
        name, below = operations.neutral(node), [n for n, _ in node.next_functions]
        if name == "accumulate_grad" or name in operations.WEIGHTED or any(operations.leaf_of(n) is not None for n in below if n is not None):
            continue
        if name == "mul" and len(below) == 2 and below[0] is not None and below[0] is below[1]:
            name = "pow"
        if operations.base(node) not in operations.SHAPES:
            names.add(name)
        left.extend(below)
    if left:
        return "other"
    if "pow" in names and names & {"exp", "log"} and not names & {"softmax", "log_softmax", "nll_loss"}:
        return "divergence"
    return "magnitudes" if names & {"abs", "relu", "norm"} and not names - {"abs", "relu", "norm", "sum", "mean", "mul", "div"} else "other"
