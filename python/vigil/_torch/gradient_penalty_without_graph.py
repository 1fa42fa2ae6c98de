"""Terms of a loss that gradients were taken for, and that no gradient goes through.

``torch.autograd.grad`` gives results that are constants unless it is told
create_graph=True: whoever makes a penalty of them adds a number to the loss.
Whoever perturbs inputs by gradients of a loss (FGSM, PGD, samples of an energy)
wants no graph, calls the model again with what came of it, and may begin the
sum of his loss with 0, which is a constant, too. Who only looks at gradients
has often made his loss before, and what was added before is not made of them.
"""

import torch

from vigil._torch import autograd_grad_wrapper, operations, parameter_penalty

MOST = 64  # nodes that are looked at
_FEW = 8  # shapes of gradients that are remembered


def watch_grad(tracker):
    """Have the look at the first steps told of calls of torch.autograd.grad that leave no graph."""

    def begins(args, kwargs):
        look = tracker.facts.look
        outputs = args[0] if args else kwargs.get("outputs")
        inputs = args[1] if len(args) > 1 else kwargs.get("inputs")
        create_graph = args[4] if len(args) > 4 else kwargs.get("create_graph")
        if not isinstance(inputs, (torch.Tensor, tuple, list)) or not look.open or tracker.in_backward or not look.here():
            return None
        if create_graph:
            look.derived = True
            return look.straight.begins(outputs, inputs)
        given = [inputs] if isinstance(inputs, torch.Tensor) else inputs
        if not given or any(isinstance(t, torch.nn.Parameter) or id(t) in look.parameters.known for t in given):
            return None
        if not _scalar(outputs):
            look.constants += 1
        elif all(isinstance(t, torch.Tensor) and t.is_leaf for t in given):  # other gradients weigh the losses of several tasks
            look.of_scalars += 1
        else:
            return None
        made = [number(t.grad_fn) for t in ([outputs] if isinstance(outputs, torch.Tensor) else outputs or ()) if isinstance(t, torch.Tensor)]
        look.since = min([look.since] + made)
        if len(look.shapes) < _FEW:
            look.shapes.extend(tuple(t.shape) for t in given if isinstance(t, torch.Tensor) and t.numel() > 1)
        return None

    autograd_grad_wrapper.grad(begins)


def _scalar(outputs):
    """Whether gradients are taken of one number, as of a loss or of a sum over samples."""
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    return isinstance(outputs, (tuple, list)) and all(isinstance(t, torch.Tensor) and t.numel() == 1 for t in outputs)


def number(node):
    """When a node was made: the later, the larger; 0 where that is not known."""
    number = getattr(node, "_sequence_nr", None)
    return number() if number is not None else 0


def adds_constant(node, since=0):
    """Whether a loss is a sum of which one term, at the top, is a constant that was added after the node of number ``since``."""
    return any(not 0 < number(sum_) < since for sum_ in with_constants(node, _scaled))


def with_constants(node, through):
    """The sums at the top of a term of which one side is a constant. through(node, name): what a product is looked for behind, a list."""
    stack = [node]
    for _ in range(MOST):
        if not stack:
            break
        node = stack.pop()
        if node is None:
            continue
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name in ("Add", "Sub"):
            if len(below) == 2 and any(n is None for n in below):
                yield node
            stack.extend(below)
        elif name in ("Mul", "Div"):
            stack.extend(through(node, name))
        elif name == "Neg" or name in operations.SHAPES and name != "AccumulateGrad":
            stack.append(below[0])


def _scaled(node, name):
    """What a number that the CPU knows scales."""
    scaled = parameter_penalty.scaled(node, name)
    return [] if scaled is None else [scaled[0]]
