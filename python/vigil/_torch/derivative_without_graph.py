"""Residuals that hold a derivative as a constant, next to the model's output.

Of a differential equation's residual such as du/dt + k u the derivative is a
constant where torch.autograd.grad was not told create_graph=True, and training
goes on with what is left. The graph has no name for a constant: it is known by
the shape of the gradients, in what is squared and averaged. Who has other
gradients with a graph in that step computes constants on purpose.
"""

from vigil._torch import gradient_penalty_without_graph, operations

_AVERAGED = frozenset(("Mean", "Sum"))
_ERRORS = frozenset(("Pow", "Abs", "Square", "Mul", "MseLoss", "LLoss", "SmoothLLoss", "HuberLoss"))


def adds_constant(node, since, shapes):
    """Whether a residual in the loss below ``node`` adds a constant of one of these shapes, after the node of number ``since``."""
    return any(
        gradient_penalty_without_graph.number(sum_) >= since > 0 and tuple(operations.shape_of(sum_, 0) or ()) in shapes
        for residual in _residuals(node)
        for sum_ in gradient_penalty_without_graph.with_constants(residual, _multiplied)
    )


def _residuals(node):
    """What is squared, or made positive, and averaged."""
    stack = [(node, False)]
    for _ in range(gradient_penalty_without_graph.MOST):
        if not stack:
            break
        node, averaged = stack.pop()
        if node is None:
            continue
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name in _ERRORS and (averaged or name.endswith("Loss")) and (name != "Mul" or len(below) == 2 and below[0] is below[1]):
            yield below[0]
        elif name in _AVERAGED or name in ("Add", "Sub", "Mul", "Div") or name in operations.SHAPES and name != "AccumulateGrad":
            stack.extend((n, averaged or name in _AVERAGED) for n in below)


def _multiplied(node, name):
    """What a constant multiplies."""
    below = [n for n, _ in node.next_functions]
    return below if any(n is None for n in below) else []
