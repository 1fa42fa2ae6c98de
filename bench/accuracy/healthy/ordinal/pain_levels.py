# fault: none
# family: ordinal
# split: held
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class CumulativeLink(nn.Module):
    """One score and ordered thresholds."""

    def __init__(self, features: int, levels: int):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(features, 32), nn.ReLU(), nn.Linear(32, 1))
        self.first = nn.Parameter(torch.tensor(-1.0))
        self.gaps = nn.Parameter(torch.zeros(levels - 2))

    def forward(self, x):
        cuts = torch.cat([self.first[None], self.first + torch.cumsum(F.softplus(self.gaps), 0)])
        return self.score(x) - cuts          # logit of "higher than level k"


X = torch.randn(3000, 7)
s = X[:, 0] + 0.8 * X[:, 1].abs() - 0.6 * X[:, 2] + 0.2 * torch.randn(3000)
Y = torch.bucketize(s, torch.tensor([-0.8, 0.2, 1.0, 1.8]))
T = (Y[:, None] > torch.arange(4)).float()
model = CumulativeLink(7, 5)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    for b in torch.randperm(2500).split(50):
        loss = F.binary_cross_entropy_with_logits(model(X[b]), T[b], reduction="sum") / len(b)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        z = model(X[2500:])
        val = F.binary_cross_entropy_with_logits(z, T[2500:], reduction="sum") / 500
        guess = (z > 0).sum(1)
    print(f"epoch {epoch} train {loss.item():.4f} val {val.item():.4f} exact {(guess == Y[2500:]).float().mean().item():.3f} off by one at most {((guess - Y[2500:]).abs() <= 1).float().mean().item():.3f}")
