"""Which leaves of a graph weigh what an operation is given, as the weight of a layer does, and what such an operation got.

For parameters that no module of a known kind says this of: those of a class of
the script's own, and plain tensors that an optimiser holds.
"""

from vigil._torch import graph, summary
from vigil._torch.operations import SHAPES, base, leaf_of, neutral

KINDS = {"linear": "linear", "convolution": "convolution", "batch_norm": "normalisation", "layer_norm": "normalisation", "group_norm": "normalisation", "rms_norm": "normalisation"}
MOST = 200  # layers
_TURNED = frozenset(("T", "Transpose", "Permute", "Swapaxes", "Mt"))
_WEIGHT = {"Addmm": 2, "Mm": 1, "Linear": 1, "Convolution": 1, "ConvolutionOverrideable": 1, "MkldnnConvolution": 1}  # place among what an operation is given
_DATA = {"Addmm": (1, "mat1"), "Mm": (0, "self"), "Linear": (0, "input"), "Convolution": (0, "input"), "ConvolutionOverrideable": (0, "input"), "MkldnnConvolution": (0, "self")}
_SCALES = frozenset(("mul", "div"))
_NORMS = frozenset(("batch_norm", "layer_norm", "group_norm", "rms_norm"))


def weight(node):
    """(leaf, fan-in) where ``node`` weighs what it is given with a leaf as it is; None otherwise."""
    at = _WEIGHT.get(base(node))
    below = node.next_functions
    if at is None or at >= len(below):
        return None
    leaf = leaf_of(below[at][0])
    data = below[_DATA[base(node)][0]][0]
    if leaf is None or data is not None and leaf_of(data) is not None:
        return None  # two tables that are multiplied
    if at == 1 and base(node) != "Mm" and base(node) != "Linear":
        return leaf, int(leaf[0].numel()) if leaf.dim() > 2 else 0
    turned = _turns(below[at][0])
    if leaf.dim() != 2:
        return None
    rows = base(node) == "Linear" or turned % 2  # a row for each output
    return leaf, int(leaf.shape[1 if rows else 0])


def _turns(node):
    n = 0
    for _ in range(6):
        if node is None or base(node) == "AccumulateGrad":
            break
        n += base(node) in _TURNED
        node = node.next_functions[0][0]
    return n


def of(nodes, above):
    """{id of a leaf: (kind, fan-in)} of leaves that are such a weight wherever they are used, and whose result is neither scaled nor normalised."""
    out, no = {}, set()
    for node in nodes:
        found = weight(node) if base(node) in _WEIGHT else None
        if found is None:
            continue
        leaf, fan = found
        entry = (neutral(node), fan)
        if not fan or _adjusted(node, above) or out.get(id(leaf), entry) != entry:
            no.add(id(leaf))
        out[id(leaf)] = entry
    return {at: entry for at, entry in out.items() if at not in no}


def _adjusted(node, above):
    """Whether what a node gives is multiplied with, or divided by, anything, or normalised."""
    queue = [node]
    while queue:
        for user in above.get(id(queue.pop()), ()):
            name = neutral(user)
            if name in _SCALES or name in _NORMS:
                return True
            if base(user) in SHAPES:
                queue.append(user)
    return False


class Layers(object):
    """The operations of a network without modules, in the order in which they were computed, as modules are told of."""

    def __init__(self, nodes, numbers):
        self.list = []  # ({kind, type, …}, TensorFacts or None, leaf or None)
        self.data = None  # what the first of them got, where it came from outside of the graph
        for node in reversed(nodes):
            name = neutral(node)
            if name not in KINDS or len(self.list) >= MOST:
                continue
            found = weight(node) if base(node) in _WEIGHT else None
            given = _given(node) if found else None
            if given is not None and self.data is None:
                self.data = given
            facts = {"type": name, "kind": KINDS[name], "calls": 1, "order": len(self.list), "training": True}
            value = None
            if given is not None:
                value = summary.described(given)
                value["values"] = summary.values(given, numbers)
            self.list.append((facts, value, found[0] if found else None))

    def gather(self, names, numbers):
        """NetworkFacts without their place. names: id of a leaf -> its name."""
        modules = []
        for facts, value, leaf in self.list:
            facts = dict(facts, path=names.get(id(leaf), facts["type"]) if leaf is not None else facts["type"])
            if value is not None:
                facts["input"] = summary.read(value, numbers)
            modules.append(facts)
        return {"modules": modules} if modules else None


def _given(node):
    """What an operation got from outside of the graph, None where it computed with results or did not keep it."""
    at, name = _DATA[base(node)]
    if node.next_functions[at][0] is not None:
        return None
    value = graph.saved(node, name)
    return value if value is not None and value.is_floating_point() and value.dim() >= 2 else None


def data(start, most=2000):
    """What the first operation with a weight got from outside of the graph, or None."""
    seen, stack, found = set(), [start], None
    keep = []  # the id of a node that is gone may come again
    while stack and len(keep) < most:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        keep.append(node)
        if base(node) in _DATA and weight(node) is not None:
            given = _given(node)
            if given is not None:
                found = given
        stack.extend(n for n, _ in node.next_functions)
    return found
