"""Weights that the agent copies itself while forward and backward run: what is captured is what they are when the update begins, whatever happens in between."""

import json

import pytest

SCRIPT = """
import collections, json, os, zlib
import torch
from torch import nn
from vigil import _wire
from vigil._torch import agent_copied_weights

agent_copied_weights.SHORTEST = 0.0
counts = collections.Counter()
asking = []
take, filled, ask_ = agent_copied_weights.AgentCopies.take, agent_copied_weights.AgentCopies._filled, agent_copied_weights.AgentCopies._ask

def counted(self, chunk):
    asked = id(chunk) in self.asked
    slot = take(self, chunk)
    if asked:
        counts["used" if slot is not None else "not used"] += 1
    return slot

def patient(self, asked, filled=filled):
    self.frames.session.ring.patience = 60.0  # a busy machine is no reason
    return filled(self, asked)

def ask(self, chunk):
    asking[:] = [self]
    ask_(self, chunk)
    asked = self.asked.get(id(chunk))
    if asked is not None:
        filled(self, asked)  # so that what changes below changes after it

agent_copied_weights.AgentCopies.take = counted
if os.environ.get("PATIENT"):
    agent_copied_weights.AgentCopies._filled = filled = patient
    agent_copied_weights.AgentCopies._ask = ask

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(300, 300), nn.ReLU(), nn.Linear(300, 300), nn.ReLU(), nn.Linear(300, 4))
optimiser = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for i in range(16):
    if i == 9:
        net[2] = nn.Linear(300, 300)
        optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.randn(8, 300)).pow(2).mean()
    optimiser.zero_grad()
    loss.backward()
    counts.clear()
    if i == 3:
        with torch.no_grad():
            net[0].weight[7] += 1  # counted by PyTorch
    elif i == 5:
        net[0].weight.data.mul_(2)  # not counted
    elif i == 7:
        net[0].weight.data = net[0].weight.data * 2  # elsewhere
    elif i == 12:
        net[0].weight.data[0, 0] = float("nan")  # from here on NaN, which equals itself
    elif i == 14:
        if asking:
            asking[0].frames.session.ring.words[_wire.W_AGENT] += 1  # another agent has taken over
    elif i == 13:
        net(torch.randn(8, 300))  # a forward without an update
    print(json.dumps({n: zlib.crc32(p.detach().numpy().tobytes()) for n, p in net.named_parameters()}))
    optimiser.step()
    print(json.dumps(counts))
if os.environ.get("VIGIL_E2E_OUT"):
    with open(os.environ["VIGIL_E2E_OUT"], "w") as f:
        f.write(str([p.detach().double().nan_to_num().sum().item() for p in net.parameters()]))
"""
CHANGED = {3, 5, 7, 12, 14}


@pytest.fixture(scope="module")
def done(trained, tmp_path_factory):
    script = tmp_path_factory.mktemp("ahead") / "script.py"
    script.write_text(SCRIPT)
    return lambda fills, **env: trained(str(script), fills=fills, env=env)


def told(t):
    """What the script printed: for each step the checksums of its weights, and what became of the frames that were asked for."""
    lines = [json.loads(line) for line in t.out.splitlines()]
    return lines[::2], lines[1::2]


def captured(t, i):
    import zlib

    return {name.split("_", 1)[1]: zlib.crc32(data) for name, data in t.run.steps[i].tensors.items() if not name.startswith("gradient/")}


@pytest.mark.parametrize("fills, env", [(True, {"PATIENT": "1"}), ("never", {}), ("fails", {})], ids=["fills", "never", "fails"])
def test_weights_are_those_of_the_update(done, fills, env):
    t = done(fills, **env)
    weights, _ = told(t)
    assert len(t.run.steps) == len(weights) == 16
    for i, want in enumerate(weights):
        assert captured(t, i) == want, "step %d" % i
    assert t.digest == t.plain_digest
    assert not t.run.dropped


def test_what_is_filled_is_used_unless_it_changed(done):
    _, counts = told(done(True, PATIENT="1"))
    for i, count in enumerate(counts):
        # At step 1 a plan may be new, and the frame of step 0 not read yet: then nothing is asked for.
        if i not in (0, 1, 8, 9, 10, 15) and i not in CHANGED:
            assert count.get("used") and not count.get("not used"), "step %d: %s of %s" % (i, count, counts)
        if i in CHANGED:
            assert count.get("not used"), "step %d: %s of %s" % (i, count, counts)


def test_an_agent_that_does_not_is_not_asked_again_soon(done):
    for fills in ("never", "fails"):
        _, counts = told(done(fills))
        assert sum(bool(c) for c in counts) == 1, counts
        assert not any(c.get("used") for c in counts)
