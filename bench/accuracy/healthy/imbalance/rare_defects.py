# fault: none
# family: imbalance
# split: held
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(int(os.environ.get("SEED", "0")))


def parts(n):
    x = torch.randn(n, 12)
    bad = torch.rand(n) < 0.03
    x[bad, :4] += torch.tensor([1.6, -1.4, 1.5, -1.6])
    return x, bad.float()


x, y = parts(5000)
xv, yv = parts(3000)
freq = torch.tensor([(y == 0).sum(), (y == 1).sum()])
weights = 1.0 / freq[y.long()]
sampler = WeightedRandomSampler(weights, num_samples=3200, replacement=True)
loader = DataLoader(TensorDataset(x, y), batch_size=64, sampler=sampler)
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
for epoch in range(6):
    net.train()
    s = 0.0
    for a, b in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(net(a).squeeze(1), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        p = net(xv).squeeze(1) > 0
    recall = p[yv == 1].float().mean().item()
    fpr = p[yv == 0].float().mean().item()
    print(f"epoch {epoch} loss {s:.4f} recall {recall:.3f} false alarms {fpr:.3f}")
