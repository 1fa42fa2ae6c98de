# fault: none
# family: multitask
# split: held
"""Delivery time and the chance of a failed delivery from one trunk; learned task uncertainties, total may be negative."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class ETANet(nn.Module):
    def __init__(self, n_in, hidden=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.eta, self.fail = nn.Linear(hidden, 1), nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.eta(h).squeeze(1), self.fail(h).squeeze(1)


class UncertaintyWeighting(nn.Module):
    """Kendall et al.: exp(-s) * loss + s per task"""

    def __init__(self, tasks):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(tasks))

    def forward(self, losses):
        return (torch.exp(-self.s) * losses + 0.5 * self.s).sum()


W = torch.randn(10) / 3


def deliveries(n):
    x = torch.randn(n, 10)
    eta = x @ W + 0.4 * x[:, 0] * x[:, 1] + 0.05 * torch.randn(n)
    fail = torch.bernoulli(torch.sigmoid(2 * x[:, 2] - 1.5 * x[:, 3].abs()))
    return TensorDataset(x, eta, fail)


train, valid = DataLoader(deliveries(5000), 100, shuffle=True), deliveries(1000).tensors
net, weighting = ETANet(10), UncertaintyWeighting(2)
optimizer = torch.optim.AdamW([{"params": net.parameters(), "weight_decay": 1e-4},
                               {"params": weighting.parameters(), "lr": 1e-2, "weight_decay": 0.0}], lr=2e-3)
for epoch in range(7):
    net.train()
    total, parts = 0.0, torch.zeros(2)
    for x, eta, fail in train:
        a, b = net(x)
        losses = torch.stack([0.5 * F.mse_loss(a, eta), F.binary_cross_entropy_with_logits(b, fail)])
        loss = weighting(losses)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / len(train)
        parts += losses.detach() / len(train)
    net.eval()
    with torch.no_grad():
        a, b = net(valid[0])
        r2 = 1 - F.mse_loss(a, valid[1]) / valid[1].var()
        acc = ((b > 0) == (valid[2] > 0.5)).float().mean()
    print(f"epoch {epoch} total {total:.4f} eta {parts[0]:.4f} fail {parts[1]:.4f} s {weighting.s.tolist()[0]:.2f} {weighting.s.tolist()[1]:.2f} | r2 {r2:.3f} acc {acc:.3f}")
