"""Parts are called in another order than they are put in, and parameters are on containers, too.

It writes what it counted itself: how many parameters the model has, each once, and the
names of its parameters in the order in which the first forward called their modules,
those of modules that it did not call last.
"""

import json
import os

import torch
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)


class Gained(nn.ModuleList):
    """A list of layers with parameters of its own."""

    def __init__(self, layers, width):
        super().__init__(layers)
        self.gain = nn.Parameter(torch.ones(width))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(32))
        self.head = nn.Linear(32, 4)
        self.unused = nn.Linear(32, 7)
        self.blocks = Gained([nn.Linear(32, 32) for _ in range(3)], 32)
        self.shifts = nn.ParameterList([nn.Parameter(torch.zeros(32)) for _ in range(3)])
        self.first = nn.Linear(16, 32)
        self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(3)])
        self.tied = nn.Linear(32, 32)
        self.tied.weight = self.blocks[1].weight
        self.frozen = nn.Linear(32, 32)
        self.frozen.requires_grad_(False)

    def forward(self, x):
        x = torch.relu(self.first(x)) * self.scale
        for i in (2, 0, 1):
            x = torch.relu(self.blocks[i](x) * self.blocks.gain + self.shifts[i])
            x = self.norms[i](x)
        return self.head(self.frozen(self.tied(x)))


model = Net()
called = []
handles = [m.register_forward_pre_hook(lambda module, args, path=path: called.append(path)) for path, m in model.named_modules()]
g = torch.Generator().manual_seed(6)
x = torch.randn(256, 16, generator=g)
y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
criterion = nn.CrossEntropyLoss()
report = Report(model)
for step in range(STEPS):
    i = step % 4 * 64
    optimizer.zero_grad()
    loss = criterion(model(x[i : i + 64]), y[i : i + 64])
    if handles:
        for handle in handles:
            handle.remove()
        handles = []
    loss.backward()
    optimizer.step()
    report.step(loss.item())
own = {path: ["%s%s" % (path + "." if path else "", key) for key in m._parameters] for path, m in model.named_modules()}
# A list that is not called itself comes right before the first of its parts that is.
begins = {path: min([called.index(c) for c in called if c == path or path and c.startswith(path + ".")] or [len(called)]) for path in own}
order = sorted(own, key=lambda path: (begins[path], path in called))
report.done()
if os.environ.get("COUNTED"):
    with open(os.environ["COUNTED"], "w") as f:
        json.dump({"parameters": sum(p.numel() for p in model.parameters()), "order": [name for path in order for name in own[path]], "called": called}, f)
