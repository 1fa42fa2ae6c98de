# fault: none
# family: regression
# split: tune
import os

import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(200, 10)
Y = X @ (torch.randn(10, 3) / 3)
Ws = [(torch.randn(a, b) * s).requires_grad_() for a, b, s in ((10, 16, 0.3), (16, 16, 0.25), (16, 3, 0.3))]
optimizer = torch.optim.SGD(Ws, lr=0.05)
for i in range(600):  # how gradient descent goes in a deep linear network
    h = X
    for W in Ws:
        h = h @ W
    loss = (h - Y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 100 == 0:
        print(i, loss.item())
