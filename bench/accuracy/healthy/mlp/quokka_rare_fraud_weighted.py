# fault: none
# family: mlp
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(int(os.environ.get("SEED", "0")))


def payments(n):
    y = (torch.rand(n) < 0.04).float()
    x = torch.randn(n, 10)
    x[:, :4] += 1.6 * y[:, None]
    return x, y


x, y = payments(4000)
xv, yv = payments(2000)
weights = torch.where(y == 1, 0.5 / y.sum(), 0.5 / (1 - y).sum())
loader = DataLoader(TensorDataset(x, y), batch_size=64, sampler=WeightedRandomSampler(weights, 2048))
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(6):
    net.train()
    losses = []
    for xb, yb in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        p = net(xv) > 0
    print(f"{epoch} loss {sum(losses) / len(losses):.4f} recall {p[yv == 1].float().mean():.3f} false alarms {p[yv == 0].float().mean():.3f}")
