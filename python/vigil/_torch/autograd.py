"""The operations between a loss and the parameters, read from the autograd graph before backward.

No reference to the graph is kept: what is remembered are names, numbers and ids
of parameters.
"""

import torch

from vigil import _guard
from vigil._torch import (
    attention,
    attention_softmax_axis,
    broadcast_comparison,
    derivative_without_graph,
    dropout_rate,
    gradient_penalty_without_graph,
    graph,
    inverted_padding_mask,
    loss_terms,
    output_operations,
    overlap_losses,
    parameter_penalty,
    policy_gradient,
    softmax_axes,
    view_instead_of_transpose,
    weights_in_graph,
    zero_factors,
    zero_gradient_operations,
)
from vigil._torch.losses import call_site
from vigil._torch.operations import SHAPES, WEIGHTED, base, by_weight, leaf_of, neutral

MOST = 20000  # nodes
_FEW = 4  # elements of a coefficient
_MOST_COEFFICIENTS = 8
_AFFINE = frozenset((
    "linear", "convolution", "embedding", "avg_pool", "mean", "sum", "sub", "add", "neg", "cat", "stack", "select", "slice", "index", "gather",
    "masked_fill", "cumsum", "pad", "upsample", "dropout",
))  # fmt: skip


class Walk(object):
    """One graph from a loss down. ``nodes`` is None but for the first graph, and gone with the walk.

    known: ids of parameters; marks: nodes that somebody holds, ``marked`` the ids of those met. ``stray`` are others that are a weight of an
    operation which computes with what a known one gave: id -> the operation. ``weights``: all that operations use as a weight, with two axes at least.
    looks: what attention sees is read, too. wasted: a wasted_backward.Wasted, which is given the graph.
    """

    def __init__(self, node, known=(), looks=False, marks=(), wasted=None):
        self.complete = True
        self.reached = set()  # ids of parameters
        self.leaves = {}  # id -> nn.Parameter
        self.ends = {}  # id of the node of a leaf -> the leaf
        nodes, below = self._nodes(node)
        self.count = len(nodes)
        if wasted is not None:
            _wasted(wasted, nodes, below)
        self.marked = {id(n) for n in nodes}.intersection(id(n) for n in marks) if marks else set()
        above = _above(nodes, below)
        self.uses = {id(leaf): _uses(at, above) for at, leaf in self.ends.items()}  # id of a leaf -> operations that take it
        self.coefficients = _coefficients(self.ends, above, known)
        self.layer_weights = _layer_weights(nodes, above) if looks else {}
        self.nodes = nodes if looks else None
        self.stray = _stray(nodes, below, known) if any(at not in known for at in self.leaves) else {}
        self.stretched = None  # the first operation with a constant that stretches a column: its place in the head, or in a way of its own, and both shapes
        self.across = False  # nll_loss gets log_softmax over samples
        self.normed = False  # outputs are divided by their norm over samples
        self.cosines = False  # cross_entropy gets cosines
        self.head = output_operations.of(node, self) if node is not None else []
        if self.stretched is None and node is not None:
            self.stretched = broadcast_comparison.aside(node, output_operations.MOST)
        self.flat, self.behind = zero_gradient_operations.behind(nodes, below, self.ends)  # operations without a slope, ids of what is behind them only
        self.weighted, self.non_linear = _between(nodes, below)
        self.dropout = dropout_rate.most(nodes)
        self.attention = _attention(nodes) if looks else None
        self.seen = (_seen(nodes) if looks else None) or []  # places that attention sees
        self.weights = _weights(nodes)
        self.zero_factors = zero_factors.count(nodes) if looks else 0
        self.of_one = sum(1 for n in nodes if base(n) in ("Softmax", "LogSoftmax") and softmax_axes.of_one(n))

    def _nodes(self, start):
        """All nodes, each before those below it, and what is below each."""
        nodes, below, state = [], {}, {}
        stack = [start] if start is not None else []
        keep = []  # the id of a node that is gone may come again
        while stack:
            node = stack.pop()
            at = id(node)
            mark = state.get(at)
            if mark == 2:
                continue
            if mark == 1:
                state[at] = 2
                nodes.append(node)
                continue
            if len(keep) >= MOST:
                self.complete = False
                state[at] = 2
                continue
            keep.append(node)
            state[at] = 1
            stack.append(node)
            children = [n for n, _ in node.next_functions if n is not None]
            below[at] = [id(n) for n in children]
            for n in children:
                if id(n) not in state:
                    stack.append(n)
            name = type(node).__name__
            if name == "AccumulateGrad":
                variable = node.variable
                self.reached.add(id(variable))
                self.ends[at] = variable
                if isinstance(variable, torch.nn.Parameter):
                    self.leaves[id(variable)] = variable
            elif name.startswith(("CompiledFunction", "CheckpointFunction")):
                self.complete = False
        nodes.reverse()
        return nodes, below


def _between(nodes, below):
    """(operations that use a weight, operations between those that are not affine)."""
    names = {id(n): neutral(n) for n in nodes}
    above, under = set(), set()
    for n in nodes:
        at = id(n)
        passes = at in above or names[at] in WEIGHTED
        if passes:
            above.update(below.get(at, ()))
    for n in reversed(nodes):
        at = id(n)
        if any(c in under or names.get(c) in WEIGHTED for c in below.get(at, ())):
            under.add(at)
    weighted = non_linear = 0
    for n in nodes:
        at, name = id(n), names[id(n)]
        if name in WEIGHTED:
            weighted += 1
            if name in ("recurrent", "lstm", "attention") and (at in above or at in under):
                non_linear += 1
        elif at in above and at in under and not _affine(n, name):
            non_linear += 1
    return weighted, non_linear


def _above(nodes, below):
    """id of a node -> the nodes that take what it gives."""
    above = {}
    for node in nodes:
        for at in set(below.get(id(node), ())):
            above.setdefault(at, []).append(node)
    return above


def _uses(at, above):
    """How many operations take a leaf, whatever its shape or type is changed to before. at: the id of its node."""
    queue, seen, found = [at], set(), set()
    while queue:
        for node in above.get(queue.pop(), ()):
            if id(node) in seen:
                continue
            seen.add(id(node))
            if base(node) in SHAPES:
                queue.append(id(node))
            else:
                found.add(id(node))
    return len(found)


def _coefficients(ends, above, known):
    """Leaves of a few numbers that are no parameters, and that meet a network's outputs and never its inputs: [tensor]."""
    out = []
    for at, leaf in ends.items():
        if isinstance(leaf, torch.nn.Parameter) or id(leaf) in known or leaf.dim() > 1 or leaf.numel() > _FEW:
            continue
        if len(out) < _MOST_COEFFICIENTS and _beside(at, above):
            out.append(leaf)
    return out


def _beside(at, above):
    """Whether nothing that a weight is used on comes from a leaf."""
    queue, seen = [at], set()
    while queue:
        for node in above.get(queue.pop(), ()):
            if id(node) in seen:
                continue
            if len(seen) >= MOST or neutral(node) in WEIGHTED:
                return False
            seen.add(id(node))
            queue.append(id(node))
    return True


def _weights(nodes):
    """The tables among the leaves that operations which use a weight take: id -> tensor."""
    out = {}
    for node in nodes:
        if neutral(node) in WEIGHTED:
            for leaf in (leaf_of(n) for n, _ in node.next_functions):
                if leaf is not None and leaf.dim() > 1:
                    out[id(leaf)] = leaf
    return out


def _stray(nodes, below, known):
    """What Walk.stray holds. nodes: each before those below it."""
    over, out = set(), {}
    for node in reversed(nodes):
        if type(node).__name__ == "AccumulateGrad":
            if id(node.variable) in known:
                over.add(id(node))
        elif any(at in over for at in below.get(id(node), ())):
            over.add(id(node))
            name = neutral(node)
            if name in WEIGHTED:
                for leaf in (leaf_of(n) for n, _ in node.next_functions):
                    if isinstance(leaf, torch.nn.Parameter) and id(leaf) not in known and leaf.dim() > 1:
                        out[id(leaf)] = name
    return out


def _affine(node, name):
    if name in _AFFINE or base(node) in SHAPES:
        return True
    if name in ("mul", "div", "matmul"):
        below = [n for n, _ in node.next_functions]
        if name == "div":
            return len(below) < 2 or below[1] is None or leaf_of(below[1]) is not None
        return by_weight(node) or len(below) < 2
    return name == "leaky_relu" and getattr(node, "_saved_negative_slope", None) == 1


@_guard.guard
def _wasted(wasted, nodes, below):
    wasted.take(nodes, below)


@_guard.guard
def _penalty(node, numbers):
    return parameter_penalty.of(node, numbers) if numbers is not None else None


@_guard.guard
def _terms(node):
    return loss_terms.of(node)


@_guard.guard
def _layer_weights(nodes, above):
    return weights_in_graph.of(nodes, above)


@_guard.guard
def _layers(nodes, numbers):
    return weights_in_graph.Layers(nodes, numbers)


@_guard.guard
def _attention(nodes):
    return attention.maps(nodes)


@_guard.guard
def _over_queries(nodes):
    return attention_softmax_axis.count(nodes)


@_guard.guard
def _seen(nodes):
    return inverted_padding_mask.seen(nodes)


@_guard.guard
def _renamed(nodes, given):
    return view_instead_of_transpose.between(nodes, given)


@_guard.guard
def _inverted(maps, sequences):
    return inverted_padding_mask.inverted(maps, sequences)


@_guard.guard
def _policy(node):
    return policy_gradient.of(node)


@_guard.guard
def _prior(node):
    from vigil._torch import vae_kl_divergence

    return vae_kl_divergence.of(node)


@_guard.guard
def _overlap(node):
    return overlap_losses.of(node)


@_guard.guard
def _likelihood(node):
    from vigil._torch import log_probability_sign

    return log_probability_sign.signs(node)


@_guard.guard
def _agreement(node):
    from vigil._torch import agreement_loss

    return agreement_loss.alone(node)


@_guard.guard
def _copies(nodes):
    from vigil._torch import labels_equal_inputs

    return labels_equal_inputs.own(nodes)


@_guard.guard
def _lost(node, since, shapes):
    return gradient_penalty_without_graph.adds_constant(node, since) or bool(shapes) and derivative_without_graph.adds_constant(node, since, shapes)


class Graphs(object):
    """The graphs of one TRAIN step: one per backward."""

    def __init__(self, numbers=None, plain=False):
        self.numbers = numbers
        self.plain = plain  # there are no modules: the operations are told of in their place
        self.layers = None
        self.layer_weights = {}  # id of a leaf -> (kind, fan-in), as weights_in_graph.of gives them for the first loss
        self.penalty = None  # what the first loss adds of the parameters themselves
        self.terms = None  # of the first loss
        self.attention = None
        self.over_queries = 0  # attention maps whose softmax goes over another axis than the keys
        self.seen = []  # of Walk, of the first loss, until it is compared
        self.renamed = None  # a view in place of an exchange of axes
        self.hidden = None  # a padding mask that is the wrong way round
        self.likelihood = None  # which way the first loss moves logarithms of probabilities
        self.agreement = False  # the first loss wants two outputs to agree, and nothing else
        self.copies = False  # the labels of the first loss are the tokens that the network begins with
        self.overlap = None  # what the first loss takes for probabilities of a mask
        self.policy = None  # of the first loss that is one
        self.prior = None  # which way a divergence from a prior goes in the first loss
        self.lost = 0  # losses that add a constant, where gradients without a graph were taken for them
        self.first = None
        self.nodes = 0
        self.complete = True
        self.weighted = self.non_linear = 0
        self.dropout = 0.0
        self.across = self.cosines = self.normed = False  # as of Walk
        self.of_one = self.zero_factors = 0
        self.reached = set()
        self.flat, self.slope = set(), set()  # of Walk; ids of parameters that are reached with nothing flat between
        self.wasted = None  # a wasted_backward.Wasted
        self.parts = set()  # of (place in the script, way, what is reached): micro-batches of one loss are one part
        self.rootless = 0  # tensors that are no result of anything
        self.stretched = None
        self.stray = {}  # of Walk, the last one's
        self.coefficients = []  # the same
        self.weights = {}  # the same
        self.uses = {}  # id of a leaf -> operations that take it
        self.marked = set()  # ids of nodes, as of Walk

    def take(self, tensor, known=(), constants=0, marks=(), since=0, shapes=(), given=None):
        """backward is about to be called on ``tensor``. Gives the parameters that it reaches, by id. known: ids, marks: nodes, as of Walk.

        constants: how often gradients without a graph were taken for it. since: number of the node that the first of them were taken of; shapes: theirs, where a
        residual may hold them. given: view_instead_of_transpose.Given of the model.
        """
        if tensor.grad_fn is None:
            self.rootless += not isinstance(tensor, torch.nn.Parameter)
            self.coefficients, self.weights = [], {}
            return {}
        base_node = graph.base(tensor)[1] if tensor.numel() == 1 else tensor.grad_fn
        walk = Walk(base_node, known, self.first is None, marks, self.wasted)
        if constants and _lost(base_node, since, shapes):
            self.lost += 1
        self.marked |= walk.marked
        self.stray, self.coefficients, self.weights = walk.stray, walk.coefficients, walk.weights
        for at, n in walk.uses.items():
            self.uses[at] = self.uses.get(at, 0) + n
        self.parts.add((call_site(1), tuple(walk.head), frozenset(walk.reached)))
        if self.first is None:
            self.first = walk.head
            self.penalty = _penalty(tensor.grad_fn, self.numbers)
            self.terms = _terms(base_node) if base_node is not None else None
            self.attention = walk.attention
            self.over_queries = _over_queries(walk.nodes) or 0
            self.seen = walk.seen
            self.renamed = _renamed(walk.nodes, given) if given is not None else None
            self.layer_weights = walk.layer_weights or {}
            if self.plain:
                self.layers = _layers(walk.nodes, self.numbers)
            self.overlap = _overlap(base_node) if base_node is not None else None
            self.likelihood = _likelihood(base_node) if base_node is not None else None
            self.prior = _prior(base_node) if base_node is not None else None
            self.copies = bool(_copies(walk.nodes))
            self.agreement = bool(base_node is not None and _agreement(base_node))
            self.weighted, self.non_linear = walk.weighted, walk.non_linear
            self.dropout = walk.dropout
            self.across, self.cosines, self.normed = walk.across, walk.cosines, walk.normed
            self.of_one, self.zero_factors = walk.of_one, walk.zero_factors
        if self.policy is None and base_node is not None:
            self.policy = _policy(base_node)
        if self.stretched is None and walk.stretched:
            self.stretched = walk.stretched if len(self.parts) == 1 or walk.stretched.get("way") else dict(walk.stretched, way=walk.head)
        self.nodes += walk.count
        self.complete = self.complete and walk.complete
        self.reached |= walk.reached
        self.slope |= walk.reached - walk.behind
        self.flat.update(walk.flat)
        return walk.leaves

    def compare(self, sequences):
        """Compare what attention sees with the sequences that the model was given."""
        maps, self.seen = self.seen, []
        if maps and sequences:
            self.hidden = _inverted(maps, sequences)

    def gather(self, parameters, numbers=None):
        """GraphFacts without their place, or None.

        parameters: [(name, parameter, whether it had a gradient)] of all roots; numbers: those that were put, read.
        """
        if not self.parts:
            return {"nodes": 0, "complete": True, "head": [], "weighted": 0, "non_linear": 0, "reached": 0, "parts": 0, "rootless": True} if self.rootless else None
        trained = [(name, p, had) for name, p, had in parameters if p.requires_grad]
        unreached = [name for name, p, had in trained if id(p) not in self.reached and not had]
        out = {
            "nodes": self.nodes,
            "complete": self.complete,
            "head": self.first,
            "weighted": self.weighted,
            "non_linear": self.non_linear,
            "reached": len(trained) - len(unreached),
            "parts": len(self.parts),
        }
        if self.dropout:
            out["dropout"] = round(self.dropout, 4)
        if self.across:
            out["across_samples"] = True
        if self.normed:
            out["normed_across"] = True
        if self.cosines:
            out["cosines"] = True
        if self.of_one:
            out["softmax_of_one"] = self.of_one
        if self.zero_factors:
            out["zero_factors"] = self.zero_factors
        if self.stretched:
            out["stretched"] = self.stretched
        if self.terms:
            out["terms"] = self.terms
        if self.attention:
            out["attention"] = self.attention
        if self.over_queries:
            out["over_queries"] = self.over_queries
        if self.hidden:
            out["padding_seen"] = self.hidden
        if self.renamed:
            out["renamed"] = self.renamed
        if self.likelihood and self.likelihood["smaller"]:
            out["likelihood"] = self.likelihood
        if self.agreement:
            out["agreement"] = True
        if self.copies:
            out["copies"] = True
        if self.overlap:
            out["overlap"] = self.overlap[0]
            if self.overlap[1]:
                out["overlap_grows"] = True
        if self.policy:
            out["policy"] = self.policy
        if self.prior:
            out["prior"] = self.prior
        if self.lost:
            out["lost"] = self.lost
        if self.penalty is not None and numbers is not None:
            out["penalty"] = self.penalty.gather(numbers)
        behind = [name for name, p, _ in trained if id(p) in self.reached and id(p) not in self.slope]
        if behind:
            out["flat"] = {"operations": sorted(self.flat), "parameters": behind[:50]}
        if unreached and self.complete:
            out["unreached"] = unreached[:50]
        return out
