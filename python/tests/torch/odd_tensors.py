"""Tensors of every kind in one model, and outputs of every shape."""

import collections

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
Pair = collections.namedtuple("Pair", "a b")


class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.sparse = nn.Embedding(10, 4, sparse=True)
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.empty = nn.Parameter(torch.zeros(0, 3))
        self.columns = nn.Parameter(torch.randn(3, 4).t())
        self.brain = nn.Parameter(torch.randn(4).bfloat16())
        self.wave = nn.Parameter(torch.randn(4, dtype=torch.complex64))
        self.unused = nn.Parameter(torch.randn(2))
        self.integers = nn.Parameter(torch.arange(3), requires_grad=False)
        self.late = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.late.requires_grad_(False)

    def forward(self, x):
        y = self.act(self.sparse(x).sum(1) * self.scale + self.brain.float())
        z = self.act(self.late(y))
        out = z @ self.columns + self.wave.real.sum()
        return {"out": Pair(out, [z]), "n": 3}


model = Odd()
sparse = torch.optim.SGD(model.sparse.parameters(), lr=0.01)
dense = torch.optim.SGD([p for n, p in model.named_parameters() if n not in ("sparse.weight", "integers")], lr=0.01)
for i in range(30):
    x = torch.randint(0, 10, (5, 2))
    out = model(x)["out"]
    loss = out.a.pow(2).mean() + out.b[0].abs().mean()
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
    if i == 10:
        model.late.requires_grad_(True)
print("done %.4f" % loss.item())
