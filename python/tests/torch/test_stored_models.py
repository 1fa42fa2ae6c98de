"""What scripts do with a model while it trains: copy it, store it, compile it to TorchScript. It works as without Vigil, and nothing of Vigil is in what comes of it."""

import pytest

SCRIPT = """
import copy, io, pickle, warnings
import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.act = nn.ReLU()
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.act(self.hidden(x)))

def stored(thing):
    data = pickle.dumps(thing)
    assert b"vigil" not in data
    return pickle.loads(data)

def saved(model):
    file = io.BytesIO()
    torch.save(model, file)
    assert b"vigil" not in file.getvalue()
    return model

def half(x):
    return x / 2

def hooked(module, args, output):
    return output * 2

def hooked_copy(model):
    copied = stored(model)
    copied.register_forward_hook(hooked)
    return half_of(copied)

def half_of(model):
    return lambda x: half(model(x))

net, criterion = Net(), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
x = torch.ones(2, 4)

WAYS = [
    ("pickle", lambda: stored(net)),
    ("pickle with a hook of the script's own", lambda: hooked_copy(net)),
    ("torch.save", lambda: saved(net)),
    ("copy.deepcopy", lambda: copy.deepcopy(net)),
    ("copy.copy", lambda: copy.copy(net)),
    ("a copy, copied and stored", lambda: stored(copy.deepcopy(copy.deepcopy(net)))),
    ("torch.jit.script", lambda: torch.jit.script(net)),
    ("torch.jit.script of a copy", lambda: torch.jit.script(copy.deepcopy(net))),
    ("torch.jit.trace", lambda: torch.jit.trace(net, x)),
    ("averaged", lambda: torch.optim.swa_utils.AveragedModel(net)),
    ("function", lambda: half_of(torch.jit.script(net)) if torch.jit.script(half)(x) is not None else None),
]

for i in range(14):
    optimizer.zero_grad()
    loss = criterion(net(torch.randn(8, 4)), torch.randint(3, (8,)))
    loss.backward()
    optimizer.step()
    scheduler.step()
    if i in (1, 5, 12):
        stored(criterion), copy.deepcopy(criterion), stored(optimizer), copy.deepcopy(optimizer), stored(scheduler)
        torch.jit.script(criterion)
        with torch.no_grad():
            for name, make in WAYS:
                print(i, name, make()(x).tolist())
"""


@pytest.fixture(scope="module")
def done(trained, tmp_path_factory):
    script = tmp_path_factory.mktemp("stored") / "stored.py"
    script.write_text(SCRIPT)
    return trained(str(script))


def test_same_as_without_vigil(done):
    assert done.out == done.plain_out and done.out.count("\n") == 33


def test_the_training_is_seen_as_ever(done):
    run = done.run
    assert [s.mode_step for s in run.mode(0)] == list(range(14))
    assert run.facts["loss"]["function"] == "cross_entropy"
    assert len(run.series("loss")) == 14


def test_a_model_that_holds_its_hook(trained, tmp_path):
    """It is stored with it; the hook of what is read again does nothing."""
    script = tmp_path / "held.py"
    script.write_text(
        "import copy, pickle, torch, vigil.torch as vg\n"
        "net = torch.nn.Linear(2, 2)\n"
        "net.hook = vg.Hook()\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for i in range(3):\n"
        "    net(torch.ones(1, 2)).sum().backward()\n"
        "    optimizer.step()\n"
        "    again, copied = pickle.loads(pickle.dumps(net)), copy.deepcopy(net)\n"
        "    assert copied.hook is net.hook and not again.hook.active\n"
        "    again.hook.save_scalar('unseen', i)\n"
        "    copied.hook.save_scalar('seen', i)\n"
        "print('done')\n"
    )
    done = trained(str(script))
    assert done.out == "done\n"
    assert not any("unseen" in name for name in done.run.names())
    assert any(name == "scalar/seen" for name in done.run.names())
