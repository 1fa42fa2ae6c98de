# fault: none
# family: svm
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
n = 1200
y = (torch.randint(0, 2, (n,)) * 2 - 1).float()
x = torch.randn(n, 8)
x[:, 0] = y * (1.0 + 0.6 * torch.rand(n))
x = x @ torch.linalg.qr(torch.randn(8, 8))[0]
model = nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
for epoch in range(12):
    tot = active = 0.0
    for b in torch.randperm(1000).split(25):
        margin = y[b] * model(x[b]).squeeze(1)
        loss = (1 - margin).clamp(min=0).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 40
        active += (margin < 1).float().mean().item() / 40
    with torch.no_grad():
        acc = ((model(x[1000:]).squeeze(1) > 0).float() * 2 - 1 == y[1000:]).float().mean().item()
    print(f"epoch {epoch} hinge {tot:.6f} active {active:.3f} test acc {acc:.3f}")
