"""The divergence of a normal distribution from the standard one in a loss, as variational autoencoders add it: which way it goes, and whom it trains.

Recognised by what all its spellings have: squares, and v - log v of a variance v,
be it exp(y) - y or a square and its logarithm. Read before backward; no
reference to the graph is kept.
"""

from vigil._torch import graph, operations

_MOST = 400  # nodes between the loss and the terms
_BELOW = 4000  # nodes below the terms
_SEVERAL = frozenset(("SplitWithSizes", "Split", "Chunk", "Unbind", "UnsafeSplit"))  # of one node several results come


def of(node):
    """PriorFacts of the loss that ``node`` gave, or None without one such divergence."""
    at, atoms = _terms(node)
    if at is None:
        return None
    pairs = [(sign, used) for sign, used in (_variance(atom, at) for atom in atoms) if sign]
    if not pairs or len({sign for sign, _ in pairs}) > 1:
        return None
    sign = pairs[0][0]
    used = {id(n) for _, nodes in pairs for n in nodes}
    squares = [n for n, s, kind in atoms if kind == "Pow" and s == sign and id(n) not in used]
    if not squares:
        return None
    own = [n for _, nodes in pairs for n in nodes]
    of_means = [n for n in squares if not _difference(n)]
    if not of_means:  # kl_divergence takes the mean of 0 off
        leaves = _leaves(own)
        of_means = [n for n in squares if not leaves.isdisjoint(_leaves([n]))]
    own += of_means
    out = {"sign": int(sign)}
    if _apart(own, [n for n, _, _ in atoms if not any(n is o for o in own)]):
        out["apart"] = True
    return out


def _terms(node):
    """({place of a node in the sum: (node, sign)}, [(node, sign, kind)] of the terms), or (None, None) of a loss that is too large."""
    at, atoms, stack = {}, [], [(node, 0, 1)]
    for _ in range(_MOST):
        if not stack:
            return at, atoms
        node, i, sign = stack.pop()
        if node is None:
            continue
        name, below = operations.base(node), node.next_functions
        at[id(node), i] = (node, sign)
        if name in ("Add", "Sub", "Rsub"):
            alpha = 1 if float(getattr(node, "_saved_alpha", 1)) >= 0 else -1
            signs = (-alpha, 1) if name == "Rsub" else (1, -alpha if name == "Sub" else alpha)
            stack.extend((n, j, sign * signs[min(k, 1)]) for k, (n, j) in enumerate(below))
        elif name == "Neg":
            stack.append(below[0] + (-sign,))
        elif name in ("Mean", "Sum") or name in operations.SHAPES and name not in _SEVERAL and name != "AccumulateGrad":
            stack.extend(b + (sign,) for b in below)
        elif name == "Mul" and len(below) == 2 and below[0][0] is not None and below[0][0] is below[1][0] and below[0][1] == below[1][1]:
            atoms.append((node, sign, "Pow"))
        else:
            scaled = _scaled(node, name, below)
            if scaled is not None:
                stack.append(scaled[0] + (sign * scaled[1],))
            else:
                square = name == "Pow" and getattr(node, "_saved_exponent", None) == 2
                atoms.append((node, sign, "Pow" if square else name if name in ("Exp", "Log") else ""))
    return None, None


def _scaled(node, name, below):
    """((node, place), sign) of what is multiplied by one number; a number of 0 is taken for one that is to grow. None of others."""
    if name not in ("Mul", "Div"):
        return None
    there = [k for k, (n, _) in enumerate(below) if n is not None]
    if len(there) != 1 or name == "Div" and there[0]:
        return None
    other = graph.saved(node, "self" if there[0] else "other")
    if other is None or other.numel() != 1 or other.device.type != "cpu":
        return None
    return below[there[0]], -1 if float(other.item()) < 0 else 1


def _variance(atom, at):
    """(sign, nodes) of v - log v, of which an atom is the v or the logarithm; (0, ()) where there is not the other."""
    node, sign, kind = atom
    place = _root(node.next_functions[0]) if kind else None
    if kind == "Pow" and place is not None and operations.base(place[0]) == "Exp":
        kind, place = "Exp", _root(place[0].next_functions[0])  # of half of the logarithm
    if place is None:
        return 0, ()
    key = id(place[0]), place[1]
    if kind == "Exp" and key in at and at[key][1] == -sign:
        return sign, (node, at[key][0])
    if kind == "Log":
        if key in at and at[key][1] == -sign:
            return -sign, (node, at[key][0])
        # A square whose operand the logarithm is of, or that of another square of it.
        if operations.base(place[0]) == "Pow" and getattr(place[0], "_saved_exponent", None) == 2:
            place = _root(place[0].next_functions[0]) or place
        for square, s in list(at.values()):
            if s == -sign and operations.base(square) in ("Pow", "Mul"):
                of = _root(square.next_functions[0])
                if of is not None and of[0] is place[0] and of[1] == place[1]:
                    return s, (node, square)
    return 0, ()


def _root(place):
    """A place freed of shapes and of factors above 0; None without one."""
    for _ in range(8):
        node = place[0]
        if node is None:
            return None
        name = operations.base(node)
        if name in operations.SHAPES and name not in _SEVERAL and name != "AccumulateGrad":
            place = node.next_functions[0]
            continue
        scaled = _scaled(node, name, node.next_functions)
        if scaled is None or scaled[1] < 0:
            return place
        place = scaled[0]
    return place


def _difference(node):
    """Whether a square is that of a difference from something constant: an error."""
    below = _root(node.next_functions[0])
    return below is not None and operations.base(below[0]) == "Sub" and any(n is None for n, _ in below[0].next_functions) and graph.saved(node, "self") is not None


def _apart(own, others):
    """Whether the divergence depends on parameters, the other terms on others, and on none of the same."""
    a, b = _leaves(own), _leaves(others)
    return bool(a and b and a.isdisjoint(b))


def _leaves(nodes):
    """ids of the leaves that nodes depend on; none where there is too much below them."""
    seen, stack, leaves = {}, list(nodes), set()
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        seen[id(node)] = node
        if len(seen) > _BELOW:
            return set()
        if operations.base(node) == "AccumulateGrad":
            leaves.add(id(node.variable))
        stack.extend(n for n, _ in node.next_functions)
    return leaves
