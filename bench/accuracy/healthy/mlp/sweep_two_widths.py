# fault: none
# family: mlp
# split: held
import os
import torch
from torch import nn


def train(width: int, lr: float, x, y, xv, yv, epochs: int = 8) -> float:
    net = nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 5))
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    for epoch in range(epochs):
        total = 0.0
        for b in torch.randperm(len(x)).split(40):
            loss = nn.functional.cross_entropy(net(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(b) / len(x)
        with torch.no_grad():
            out = net(xv)
            val = nn.functional.cross_entropy(out, yv).item()
        print(f"width {width} lr {lr} epoch {epoch} train {total:.4f} val {val:.4f} acc {(out.argmax(1) == yv).float().mean().item():.3f}")
    return val


torch.manual_seed(int(os.environ.get("SEED", 0)))
c = torch.randn(5, 16)
labels = torch.randint(5, (2400,))
points = c[labels] + 1.1 * torch.randn(2400, 16)
results = {(w, lr): train(w, lr, points[:2000], labels[:2000], points[2000:], labels[2000:]) for w, lr in [(16, 0.02), (64, 0.005)]}
print("best", min(results, key=results.get))
