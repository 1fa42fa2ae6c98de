# fault: none
# family: regression
# split: tune
# Linear regression: one layer, plain SGD, the loss ends at the noise of the data.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

w, b = torch.tensor([2.0, -3.4]), 4.2
X = torch.randn(1000, 2)
y = (X @ w + b + 0.1 * torch.randn(1000)).unsqueeze(1)


def data_iter(batch_size):
    order = torch.randperm(len(X))
    for k in range(0, len(X), batch_size):
        j = order[k:k + batch_size]
        yield X[j], y[j]


net = nn.Linear(2, 1)
loss = nn.MSELoss()
trainer = torch.optim.SGD(net.parameters(), lr=0.03)
first = loss(net(X), y).item()
for epoch in range(4):
    for xb, yb in data_iter(20):
        l = loss(net(xb), yb)
        trainer.zero_grad()
        l.backward()
        trainer.step()
    with torch.no_grad():
        l = loss(net(X), y)
    print(f"epoch {epoch + 1}, loss {l:f}")
print("error in w", (w - net.weight.detach()[0]).tolist())
print(f"loss first {first:.4f} last {l.item():.4f}")
