# fault: none
# family: multilabel
# split: tune
"""Twenty tags, most of them rare; positive weights and average precision."""
import os
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
TAGS, DIM = 20, 40
freq = torch.linspace(0.25, 0.03, TAGS)
direction = torch.randn(TAGS, DIM)


def make(n):
    y = (torch.rand(n, TAGS) < freq).float()
    x = y @ direction + 0.8 * torch.randn(n, DIM)
    return x / 3, y


def average_precision(scores, y):
    order = scores.argsort(0, descending=True)
    hit = y.gather(0, order)
    prec = hit.cumsum(0) / torch.arange(1, len(y) + 1)[:, None]
    return ((prec * hit).sum(0) / hit.sum(0).clamp(min=1)).mean().item()


x, y = make(2000)
xv, yv = make(500)
pos_weight = ((1 - y).sum(0) / y.sum(0).clamp(min=1)).sqrt()
net = nn.Sequential(nn.Linear(DIM, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, TAGS))
nn.init.constant_(net[-1].bias, -2.0)
criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
for epoch in range(12):
    net.train()
    run = 0
    for xb, yb in loader:
        opt.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        opt.step()
        run += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(xv)
    print(epoch, f"loss {run / len(loader):.4f} val {criterion(out, yv):.4f} mAP {average_precision(out, yv):.3f}")
