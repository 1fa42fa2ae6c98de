"""How many rows of an embedding the gradients of the first updates are about."""

import pytest

SCRIPT = """
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
kind = %r

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(200, 8, sparse=kind == "sparse")
        self.out = nn.Linear(8, 200 if kind == "tied" else 3, bias=False)
        if kind == "tied":
            self.out.weight = self.words.weight

    def forward(self, x):
        return self.out(self.words(x))

model = Net()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.arange(96).reshape(24, 4), torch.randint(3, (24, 4))
for i in range(24):
    optimiser.zero_grad()
    F.cross_entropy(model(x[i]), y[i]).backward()
    optimiser.step()
"""


@pytest.mark.parametrize("kind,rows", [("dense", [4, None]), ("sparse", [None, None]), ("tied", [200])])
def test_rows(trained, write, kind, rows):
    """Four rows of 200 are used in a step; where the output layer has the same weight, all have a gradient."""
    facts = trained(write(SCRIPT % kind)).run.facts
    assert [p.get("rows") for p in facts["parameters"]["list"]] == rows
