# fault: none
# family: segmentation
# split: held
"""Roofs in aerial tiles, small U-shaped network."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def tiles(n, size=20):
    img = 0.6 * torch.randn(n, 3, size, size)
    mask = torch.zeros(n, 1, size, size)
    for k in range(n):
        for _ in range(2):
            a, b = torch.randint(0, size - 7, (2,)).tolist()
            h, w = torch.randint(3, 7, (2,)).tolist()
            mask[k, 0, a:a + h, b:b + w] = 1
            img[k, 0, a:a + h, b:b + w] += 1.5
            img[k, 2, a:a + h, b:b + w] -= 0.8
    return img, mask


class MiniUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU())
        self.mid = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.Upsample(scale_factor=2))
        self.out = nn.Conv2d(36, 1, 3, padding=1)

    def forward(self, x):
        d = self.down(x)
        return self.out(torch.cat([d, self.mid(d)], 1))


xt, mt = tiles(400)
xv, mv = tiles(80)
net = MiniUNet()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(16):
    net.train()
    total = 0
    for i in torch.randperm(400).split(25):
        loss = loss_fn(net(xt[i]), mt[i])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(i) / 400
    net.eval()
    with torch.no_grad():
        z = net(xv)
        p = torch.sigmoid(z) > 0.5
        dice = 2 * (p * mv).sum() / (p.sum() + mv.sum())
    print(f"epoch {epoch:02d} | train {total:.4f} | val {loss_fn(z, mv).item():.4f} | dice {dice.item():.3f}")
