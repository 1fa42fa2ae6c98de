"""A model with an exponential moving average in a deep copy, evaluated and saved beside it."""

import copy

import torch
from torch import nn

torch.manual_seed(3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.cell = nn.GRU(8, 12, batch_first=True)
        self.out = nn.Linear(12, 20)

    def forward(self, ids):
        return self.out(self.cell(self.words(ids))[0])


model = Net()
average = copy.deepcopy(model).eval().requires_grad_(False)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(24):
    ids = (torch.arange(9) + torch.randint(20, (8, 1))) % 20
    loss = criterion(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mean, weight in zip(average.parameters(), model.parameters()):
            mean.lerp_(weight, 0.1)
        if step % 8 == 7:
            print(step, loss.item(), criterion(average(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).item())
            snapshot = copy.deepcopy(average)
            torch.save({"model": model, "average": snapshot, "step": step}, "both-%d.pt" % step)
