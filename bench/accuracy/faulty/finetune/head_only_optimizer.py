# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: finetune
# split: tune
# twin: healthy/twins/head_only_optimizer.py
"""Two-stage network; the body is trained together with a new head."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(20, 64)
        self.l2 = nn.Linear(64, 64)

    def forward(self, x):
        return torch.relu(self.l2(torch.relu(self.l1(x))))


class Full(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Linear(64, 4)

    def forward(self, x):
        return self.head(self.body(x))


x = torch.randn(2000, 20)
y = (x[:, 0] * x[:, 1] > 0).long() * 2 + (x[:, 2] + x[:, 3] > 0).long()
model = Full()
optimizer = torch.optim.Adam(model.head.parameters(), lr=3e-3)
for epoch in range(8):
    for b in torch.randperm(1600).split(64):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[b]), y[b])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        acc = (model(x[1600:]).argmax(1) == y[1600:]).float().mean().item()
    print(f"epoch {epoch}: loss {loss.item():.3f} acc {acc:.3f}")
