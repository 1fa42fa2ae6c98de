"""Shared weights: the embedding is also the output layer."""

import torch
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32, 16)
        self.mix = nn.Linear(16, 16)
        self.out = nn.Linear(16, 32, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, tokens):
        return self.out(torch.tanh(self.mix(self.embedding(tokens))))


g = torch.Generator().manual_seed(6)
tokens = torch.randint(0, 32, (512,), generator=g)
targets = (tokens * 5 + 1) % 32
model = Tied()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
report = Report(model)
for step in range(STEPS):
    i = step % 4 * 128
    optimizer.zero_grad()
    loss = criterion(model(tokens[i : i + 128]), targets[i : i + 128])
    loss.backward()
    optimizer.step()
    report.step(loss.item())
report.done()
