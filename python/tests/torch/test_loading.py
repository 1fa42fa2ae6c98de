"""Which parameters the facts call loaded, and which differ as no initialiser makes them."""

import copy
import gc
import io
import pickle
import types
import warnings

import pytest
import torch
from torch import nn

from vigil._torch import loading, summary

BODY = ["body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias"]
ALL = BODY + ["head.weight", "head.bias"]
WHOLE = {} if torch.__version__.startswith("1.") else {"weights_only": False}
OLD = not hasattr(torch.nn.Module, "compile")  # nothing is loaded by assignment there


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 16)), nn.Linear(16, classes)


def read(thing):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, **WHOLE)


def body(net, other, **how):
    net.body.load_state_dict({n: v.clone() for n, v in other.body.state_dict().items()}, **how)
    return net


def everything(net, other):
    net = Net(5)
    net.load_state_dict(other.state_dict())
    net.head = nn.Linear(16, 3)
    return net


def what_fits(net, other):
    net.load_state_dict({n: v for n, v in other.state_dict().items() if "head" not in n}, strict=False)
    return net


def one_layer(net, other):
    net.body[2].load_state_dict(other.body[2].state_dict())
    return net


def set_back(net, other):
    net.load_state_dict(copy.deepcopy(net.state_dict()))
    return net


def whole_body(net, other):
    net.body = read(other.body)
    return net


def not_used(net, other):
    read(other.state_dict())
    return net


# How a model comes to its weights -> parameters that are called loaded.
WAYS = {
    "as initialised": (lambda net, other: net, []),
    "all but a new head": (everything, BODY),
    "a body under a new head": (body, BODY),
    "what fits": (what_fits, BODY),
    "one layer": (one_layer, BODY[2:]),
    "by assignment": (lambda net, other: body(net, other, assign=True), BODY),
    "moved afterwards": (lambda net, other: body(net, other).to("cpu").double().float(), BODY),
    "set back to where it began": (set_back, []),
    "a whole model": (lambda net, other: read(net), ALL),
    "a whole model in a checkpoint": (lambda net, other: read({"epoch": 3, "models": [net]})["models"][0], ALL),
    "a whole body": (whole_body, BODY),
    "weights that were read and not used": (not_used, []),
    "sent to another process": (lambda net, other: pickle.loads(pickle.dumps(net)), []),
    "a copy of a new model": (lambda net, other: copy.deepcopy(net), []),
}


@pytest.fixture
def watched(monkeypatch):
    """What loads is watched, as in a process that vigil run starts."""
    for name in "load_state_dict", "__setstate__":
        monkeypatch.setattr(nn.Module, name, getattr(nn.Module, name))  # put back afterwards
    look = types.SimpleNamespace(open=True)
    loading.watch(types.SimpleNamespace(facts=types.SimpleNamespace(look=look)))
    return look


@pytest.mark.parametrize("way", list(WAYS))
def test_loaded(watched, way):
    make, loaded = WAYS[way]
    if OLD and way == "by assignment":
        pytest.skip("not in this release")
    torch.manual_seed(0)
    net = make(Net(3), Net(5))
    assert [n for n, p in net.named_parameters() if loading.loaded(p)] == loaded


def test_what_load_state_dict_gives_and_raises(watched):
    net, other = Net(3), Net(5)
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict(other.state_dict())
    given = net.load_state_dict({}, strict=False)
    assert list(given.missing_keys) == ALL and given.unexpected_keys == []


def compiled(other):
    return {"_orig_mod." + n: v for n, v in other.state_dict().items()}


def test_names_that_do_not_fit(watched):
    net, other, gone, fits = Net(3), Net(3), Net(3), Net(3)
    gone.load_state_dict(compiled(other), strict=False)
    fits.load_state_dict(other.state_dict(), strict=False)
    net.load_state_dict(compiled(other), strict=False)
    del gone
    gc.collect()
    names = {"unexpected": ["_orig_mod." + n for n in ALL[:3]], "absent": ALL[:3]}
    missed = dict(names, module="Net", given=6, matched=0, missing=6, parameters=6, loaded=0, trained=True)
    assert loading.gather() == [missed]

    # What comes by other means later counts, and so does a later call.
    net.requires_grad_(False)
    with torch.no_grad():
        net.head.weight.copy_(other.head.weight)
    assert loading.gather() == [dict(missed, loaded=1, trained=False)]
    net.load_state_dict(what_fits(Net(3), other).body.state_dict(), strict=False)
    assert [(m["given"], m["matched"], m["missing"]) for m in loading.gather()] == [(4, 0, 6)]
    net.load_state_dict({n: v for n, v in other.state_dict().items() if "head" not in n}, strict=False)
    assert [(m["given"], m["matched"], m["missing"], m["loaded"]) for m in loading.gather()] == [(4, 4, 2, 4)]
    net.load_state_dict(other.state_dict())
    assert loading.gather() == []


def test_warnings_of_torch_load_name_the_script(watched):
    """Those of an archive of TorchScript, and of releases in which weights_only was to change, are about the line that called."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(nn.Linear(2, 2)), file)
    file.seek(0)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        torch.load(file, **WHOLE)
    assert given and not [w for w in given if "vigil/_torch" in w.filename], [(w.filename, str(w.message)) for w in given]


def test_after_the_first_steps_nobody_looks(watched):
    watched.open = False
    assert not any(loading.loaded(p) for p in body(Net(3), Net(5)).parameters())


def test_between_trainings_what_loads_nothing_is_noted(watched):
    watched.open = False
    net, other, part = Net(3), Net(3), Net(3)
    net.load_state_dict(compiled(other), strict=False)
    part.load_state_dict({n: v for n, v in other.state_dict().items() if "head" not in n}, strict=False)
    assert [(m["given"], m["matched"], m["loaded"]) for m in loading.gather()] == [(6, 0, 0)]
    with torch.no_grad():
        net.requires_grad_(False).head.weight.copy_(other.head.weight)
    assert [m["loaded"] for m in loading.gather()] == [1]
    net.load_state_dict(other.state_dict())
    assert loading.gather() == []


def test_what_is_gone_is_forgotten(watched):
    known = len(loading._loaded)
    net = body(Net(3), Net(5))
    assert len(loading._loaded) == known + 4
    del net
    gc.collect()
    assert len(loading._loaded) == known


SCRIPT = """
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
old, body = nn.Linear(12, 16), nn.Linear(12, 16)
body.load_state_dict(old.state_dict())
net = nn.Sequential(body, nn.ReLU(), nn.Linear(16, 3)).bfloat16()
optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(12):
    optimiser.zero_grad()
    nn.functional.cross_entropy(net(torch.randn(20, 12).bfloat16()), torch.randint(3, (20,))).backward()
    optimiser.step()
"""


def test_facts(trained, write):
    """What the facts of a training say of its parameters."""
    found = trained(write(SCRIPT)).run.facts["parameters"]["list"]
    assert [(p["name"], p["dtype"], p.get("loaded", False)) for p in found] == [
        ("Sequential_0.weight", "BF16", True),
        ("Sequential_0.bias", "BF16", True),
        ("Sequential_2.weight", "BF16", False),
        ("Sequential_2.bias", "BF16", False),
    ]
    assert ["uneven" in p for p in found] == [True, False, True, False] and all(0 < p.get("uneven", 1) < 4.5 for p in found)


INITIALISERS = {
    "PyTorch's own": lambda w: torch.nn.init.kaiming_uniform_(w, a=5**0.5),
    "normal, far too large": lambda w: torch.nn.init.normal_(w, 0, 50),
    "between 0 and 1": lambda w: torch.nn.init.uniform_(w, 0, 1),
    "around 3": lambda w: torch.nn.init.normal_(w, 3, 0.1),
    "orthogonal": torch.nn.init.orthogonal_,
    "identity": torch.nn.init.eye_,
    "few that are not 0": lambda w: torch.nn.init.sparse_(w, 0.9),
    "heavy tails": lambda w: w.data.copy_(torch.distributions.Cauchy(0.0, 1.0).sample(w.shape)),
    "one value": lambda w: torch.nn.init.constant_(w, 0.3),
}


@pytest.mark.parametrize("initialiser", list(INITIALISERS))
@pytest.mark.parametrize("shape", [(8, 8), (3, 64), (64, 24), (300, 700)], ids=str)
def test_what_initialisers_draw_is_even(initialiser, shape):
    torch.manual_seed(1)
    assert all(uneven(INITIALISERS[initialiser](torch.empty(shape))) < 4.5 for _ in range(20))


def test_what_training_made_is_not():
    """A network that was trained far from where it began, whatever its scale."""
    torch.manual_seed(1)
    x = torch.randn(1000, 24)
    y = (x @ torch.randn(24, 3)).argmax(1)
    net = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3))
    optimiser = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    before = [uneven(net[i].weight) for i in (0, 2)]
    for _ in range(300):
        j = torch.randint(1000, (50,))
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(net(x[j]), y[j]).backward()
        optimiser.step()
    after = [uneven(net[i].weight) for i in (0, 2)]
    assert max(before) < 3 and min(after) > 5, (before, after)


@pytest.mark.parametrize("weight", [torch.zeros(4), torch.zeros(1, 64), torch.zeros(4, 4), torch.zeros(8, 8, dtype=torch.int64), torch.zeros(0, 9)], ids=["a bias", "one row", "few of both", "whole numbers", "nothing"])
def test_too_little_to_say(weight):
    assert summary.uneven(weight, summary.Numbers()) is None


def uneven(weight):
    numbers = summary.Numbers()
    at = summary.uneven(weight.detach(), numbers)
    return max(numbers.read()[at])
