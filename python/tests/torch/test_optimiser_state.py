"""What optimisers keep of parameters: captured after the update where the plan asks for it, as it is there."""

import json

import collector
import pytest

SCRIPT = """
import json, sys
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 3)
        self.unused = nn.Linear(2, 2)
        self.late = nn.Linear(4, 3)

    def forward(self, x):
        return self.body(x) + (self.late(x) if late else 0)

class Head(nn.Sequential):
    pass

late = False
net, head = Net(), Head(nn.Linear(3, 1))
groups = [{"params": list(reversed(list(net.body.parameters()))), "lr": 0.01}, {"params": list(net.unused.parameters()) + list(net.late.parameters())}]
adam = torch.optim.Adam(groups, lr=0.1, amsgrad=True)
sgd = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
names = {p: n for m in (net, head) for n, p in ((type(m).__name__ + "_" + n, p) for n, p in m.named_parameters())}
for i in range(6):
    late = i > 2
    loss = head(net(torch.randn(5, 4))).pow(2).mean()
    adam.zero_grad()
    sgd.zero_grad()
    loss.backward()
    adam.step()
    sgd.step()
    if i == 3:
        adam.load_state_dict(adam.state_dict())  # other tensors take their place
    kept = {}
    for o in (adam, sgd):
        for p, of in o.state.items():
            for key, value in of.items():
                if isinstance(value, torch.Tensor) and value.dim():
                    kept["%s/%s/%s" % (type(o).__name__, names[p], key)] = value.contiguous().view(-1).view(torch.uint8).tolist()
    print(json.dumps(kept))
"""


@pytest.fixture(scope="module")
def done(trained, tmp_path_factory):
    script = tmp_path_factory.mktemp("states") / "states.py"
    script.write_text(SCRIPT)
    return trained(str(script), modules=[("", "optimizer_state", 1)])


def test_values_are_the_optimisers_own(done):
    own = [{name: bytes(b) for name, b in json.loads(line).items()} for line in done.plain_out.splitlines()]
    assert len(own[0]) == 2 * 3 + 2 and len(own[-1]) == 4 * 3 + 2
    # A step with a layer's first state comes once, whether the plan knows of it by then or not.
    seen = set()
    for step, kept in zip(done.run.mode(0), own):
        got = {n: v for n, v in step.tensors.items() if n.startswith(("Adam/", "SGD/"))}
        assert {n: kept[n] for n in got} == got
        seen |= {(step.mode_step, n) for n in got}
    last = done.run.mode(0)[-1].mode_step
    assert {n for _, n in seen} == set(own[-1])
    assert {n for i, n in seen if i == 0} == set(own[0])
    assert len([i for i, n in seen if n == "SGD/Head_0.weight/momentum_buffer"]) >= 2 and last == 5


def test_they_are_announced_with_a_kind_of_their_own(done):
    info = done.run.info("Adam/Net_body.weight/max_exp_avg_sq")
    assert (info["kind"], info["shape"], info["dtype"], info["module_type"]) == ("optimizer_state", [3, 4], "F32", "Adam")
    assert sorted(done.run.names("optimizer_state")) == sorted(json.loads(done.plain_out.splitlines()[-1]))
    assert not done.run.missing and not done.run.dropped


def test_nothing_of_them_is_announced_unasked(trained, done, tmp_path):
    script = tmp_path / "states.py"
    script.write_text(SCRIPT)
    run = trained(str(script), schedule=collector.TRAIN_ONLY).run
    assert not run.names("optimizer_state")
    assert set(run.names("weight")) == set(done.run.names("weight"))
