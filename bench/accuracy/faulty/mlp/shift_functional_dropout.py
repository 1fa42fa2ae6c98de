# fault: eval-in-train-mode
# cause_class: eval-mode, structure
# family: mlp
# split: tune
# twin: healthy/twins/shift_functional_dropout.py
"""Predict whether a night shift runs late; dropout as a function."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(1400, 12)
y = ((x[:, 0] * x[:, 1] + x[:, 2]) > 0).long()


class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.out = nn.Linear(12, 64), nn.Linear(64, 64), nn.Linear(64, 2)

    def forward(self, x):
        x = F.dropout(F.relu(self.a(x)), p=0.4)
        x = F.relu(self.b(x))
        return self.out(x)


model = Shift()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    model.train()
    for i in torch.randperm(1000).split(32):
        loss = F.cross_entropy(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        acc = (model(x[1000:]).argmax(1) == y[1000:]).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} validation accuracy {acc:.3f}")
