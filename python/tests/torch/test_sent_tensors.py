"""A tensor that passes several modules is copied once, and every one of them gets the values it saw."""

import json
import sys

SCRIPT = """
import json
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)
        self.same = nn.Identity()
        self.last = nn.Linear(3, 2)

    def forward(self, x):
        y = self.first(x)
        seen["first_output_0"] = y.tolist()
        y = self.act(y)
        seen["act_input_0"] = seen["act_output_0"] = y.tolist()  # the module wrote over its input before it returned
        y = self.same(y * 2)
        seen["same_input_0"] = seen["same_output_0"] = y.tolist()
        with torch.no_grad():
            y.add_(1)
        seen["last_input_0"] = y.tolist()
        out = self.last(y)
        seen["last_output_0"] = seen["Net_output_0"] = out.tolist()
        return out


seen = {}
model = Net()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimiser.zero_grad()
    nn.functional.mse_loss(model(torch.randn(4, 3)), torch.zeros(4, 2)).backward()
    optimiser.step()
print(json.dumps(seen))
"""


def test_values_of_tensors_that_come_again(trained, write):
    modules = [[name, side, 1] for name in ("first", "act", "same", "last", "") for side in ("input", "output")]
    done = trained("sent", argv=[sys.executable, write(SCRIPT)], modules=modules)
    seen = json.loads(done.out)
    step = done.run.mode(0)[-1]
    assert len(done.run.mode(0)) == 5 and not step.repeated
    for name, rows in seen.items():
        values = step.values(name)
        assert list(values) == [v for row in rows for v in row], name
    # Where the reader has taken a value already, it is copied again: not at every step on a busy machine.
    places = [s.places for s in done.run.mode(0) if len(s.places) > 1]
    for one, other in (("act_input_0", "act_output_0"), ("same_input_0", "same_output_0"), ("last_output_0", "Net_output_0")):
        assert any(at[one] == at[other] for at in places), (one, places)
    # A place that the reader has taken already may be used again by chance, even for what has changed.
    assert any(at["same_output_0"] != at["last_input_0"] for at in places), "changed in between"


def test_what_is_known_to_lie_in_the_ring():
    """The object counts, its changes in place, and that it still lives."""
    import torch

    from vigil._torch import sent_tensors

    published = []

    class Session(object):
        def again(self, place, *args):
            published.append(place)
            return place is not gone

    gone = [0]
    kept = sent_tensors.SentTensors()
    a, b, c = torch.ones(2), torch.ones(2), torch.ones(2)
    kept.note(a, [1])
    kept.note(b, [2])
    kept.note(c, gone)

    def ask(t):
        return kept.again(Session(), 7, t, 0, (0, 0, 0))

    assert ask(a) and ask(a) and published == [[1], [1]]
    assert not ask(torch.ones(2)), "equal values are not the same tensor"
    b.add_(1)
    assert not ask(b), "changed in place"
    a.data = torch.zeros(2)
    assert not ask(a), "other memory"
    assert not ask(c), "its place was taken back"
    with torch.inference_mode():
        d = torch.ones(2)
    kept.note(d, [4])
    assert not ask(d), "nothing counts its changes"
    kept.clear()
    assert not ask(c)
