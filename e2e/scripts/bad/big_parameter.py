"""A parameter of 2 GB, larger than any frame and than the ring. Prints the digest of the weights."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.big = nn.Parameter(torch.ones(2**29 + 3))
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        return self.out(x) * self.big[-1]


model = Net()
with torch.no_grad():
    model.big[-1] = 7.0
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    optimiser.zero_grad()
    nn.functional.mse_loss(model(torch.randn(8, 4)), torch.zeros(8, 2)).backward()
    optimiser.step()
digest = hashlib.sha256()
for p in model.parameters():
    digest.update(p.detach().numpy())
print(digest.hexdigest())
