"""Operations of backward behind which nothing is trained, and the parameters that only they use."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import autograd
from vigil._torch.wasted_backward import Wasted, changed_by

X = torch.randn(8, 6, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 1, 2, 3] * 2)
BODY = frozenset(("body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias"))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 6), nn.ReLU())
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        return self.head(self.body(x))


def head_only(net):
    return [torch.optim.SGD(net.head.parameters(), lr=0.1)]


def groups(net, rate, **more):
    return [torch.optim.SGD([dict(params=list(net.body.parameters()), lr=rate, **more), {"params": list(net.head.parameters())}], lr=0.1)]


def hooked(net):
    net.body[2].register_full_backward_hook(lambda module, given, took: None)
    return head_only(net)


def frozen(net):
    net.body.requires_grad_(False)
    return head_only(net)


def without_graph(net, x):
    with torch.no_grad():
        x = net.body(x)
    return net.head(x)


def beside(net, x):
    return net.head(x) + net.body(x).sum()


CASES = {  # name: (optimisers of a network, what it computes, operations behind which nothing is trained, the parameters that only these use)
    "only the head is trained": (head_only, Net.forward, 4, BODY),
    "a rate of 0": (lambda net: groups(net, 0.0), Net.forward, 4, BODY),
    "a branch that nobody trains": (head_only, beside, 5, BODY),
    "all is trained": (lambda net: [torch.optim.SGD(net.parameters(), lr=0.1)], Net.forward, 0, ()),
    "two optimisers": (lambda net: head_only(net) + [torch.optim.Adam(net.body.parameters())], Net.forward, 0, ()),
    "a rate of 0 that a scheduler changes": (lambda net: groups(net, 0.0, initial_lr=0.1), Net.forward, 0, ()),
    "the head is not trained": (lambda net: [torch.optim.SGD(net.body.parameters(), lr=0.1)], Net.forward, 0, ()),
    "the first layer is trained, and none behind it": (lambda net: [torch.optim.SGD(net.body[0].parameters(), lr=0.1)], Net.forward, 0, ()),
    "frozen": (frozen, Net.forward, 0, ()),
    "without a graph": (head_only, without_graph, 0, ()),
    "the gradient of the input is asked for": (head_only, lambda net, x: net(x.clone().requires_grad_()), 0, ()),
    "the gradient of a layer is asked for": (hooked, Net.forward, 2, ("body.0.weight", "body.0.bias")),
    "nothing is trained": (lambda net: [], Net.forward, 0, ()),
}


@pytest.mark.parametrize("optimisers,forward,operations,names", CASES.values(), ids=list(CASES))
def test_operations(optimisers, forward, operations, names):
    net = Net()
    optimisers = optimisers(net)
    graphs = autograd.Graphs()
    graphs.wasted = Wasted(changed_by(optimisers))
    with torch.enable_grad():
        graphs.take(F.cross_entropy(forward(net, X), Y))
    facts, ids = graphs.wasted.gather(changed_by(optimisers))
    assert (facts["operations"] if facts else 0, {name for name, p in net.named_parameters() if id(p) in ids}) == (operations, set(names))
    if facts:
        assert facts["of"] > operations


def test_what_changes_meanwhile():
    """An optimiser was made after the graph was seen."""
    net = Net()
    graphs = autograd.Graphs()
    graphs.wasted = Wasted(changed_by(head_only(net)))
    with torch.enable_grad():
        graphs.take(F.cross_entropy(net(X), Y))
    assert graphs.wasted.gather(changed_by(head_only(net)))[0]
    assert graphs.wasted.gather({id(p) for p in net.parameters()}) == (None, frozenset())


SCRIPT = """
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
body = nn.Sequential(nn.Linear(6, 6), nn.ReLU())
inside = %r
model = nn.Sequential(body, nn.Linear(6, 3)) if inside else nn.Linear(6, 3)
optimiser = torch.optim.SGD((model[1] if inside else model).parameters(), lr=0.1)
x, y = torch.randn(24, 8, 6), torch.randint(3, (24, 8))
for i in range(24):
    optimiser.zero_grad()
    F.cross_entropy(model(x[i] if inside else body(x[i])), y[i]).backward()
    optimiser.step()
"""


@pytest.mark.parametrize("inside,where,names", [(True, "list", ["Sequential_0.0.weight", "Sequential_0.0.bias"]), (False, "outside", ["Sequential_0.weight", "Sequential_0.bias"])])
def test_facts_of_a_training(trained, write, inside, where, names):
    """The body is a part of the model, or is next to it."""
    facts = trained(write(SCRIPT % inside)).run.facts
    assert facts["graph"]["wasted"] == {"operations": 2, "of": facts["graph"]["wasted"]["of"]}
    assert [p["name"] for p in facts["parameters"][where] if p.get("wasted")] == names
    assert facts["parameters"]["list"][-1]["held"] and "wasted" not in facts["parameters"]["list"][-1]
