# fault: none
# family: cnn
# split: tune
"""Online learning, one picture per step, GroupNorm instead of batch statistics."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def bars(n, s=10):
    y = torch.randint(0, 2, (n,))
    pos = torch.randint(1, s - 1, (n,))
    img = 0.5 * torch.randn(n, 1, s, s)
    for k in range(n):
        if y[k]:
            img[k, 0, pos[k]] += 1.5
        else:
            img[k, 0, :, pos[k]] += 1.5
    return img, y


net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(8, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(), nn.Flatten(), nn.Linear(200, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.5)
x, y = bars(1200)
xv, yv = bars(200)
avg = 0.7
for i in range(1200):
    loss = F.cross_entropy(net(x[i:i + 1]), y[i:i + 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    avg = 0.99 * avg + 0.01 * loss.item()
    if i % 200 == 199:
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean()
        print(f"seen {i + 1} smoothed loss {avg:.4f} acc {acc:.3f}")
