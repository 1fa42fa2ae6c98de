"""Logits that are cosines: of what the model makes of a sample and of one vector for each class, both of length one."""

from vigil._torch.operations import base, leaf_of, neutral, through

_LENGTHS = frozenset(("norm", "sqrt"))
_BESIDE = frozenset(("clamp", "max", "add"))  # what keeps a length from being 0


def of_classes(node):
    """Whether ``node`` gives such cosines as they are, between -1 and 1. The vectors of the classes are a parameter; pairs of samples are something else."""
    node = through(node)
    if node is not None and base(node) == "Sum":
        node = through(node.next_functions[0][0])
        if node is None or base(node) != "Mul":
            return False
    elif node is None or neutral(node) != "matmul":
        return False
    sides = [of_length_one(n) for n, _ in node.next_functions if n is not None]
    return len(sides) == 2 and None not in sides and any(leaf_of(n) is not None for n in sides)


def of_length_one(node):
    """The node of what was divided by its own length; None where ``node`` is no such quotient."""
    node = through(node)
    if node is None or base(node) != "Div" or len(node.next_functions) != 2:
        return None
    length = through(node.next_functions[1][0])
    for _ in range(3):
        if length is None or neutral(length) not in _BESIDE:
            break
        length = through(next((n for n, _ in length.next_functions if n is not None), None))
    return node.next_functions[0][0] if length is not None and neutral(length) in _LENGTHS else None
