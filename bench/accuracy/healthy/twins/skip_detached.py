# fault: none
# family: segmentation
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Seg(nn.Module):
    def __init__(self, c=8, k=3):
        super().__init__()
        self.e1 = nn.Conv2d(1, c, 3, padding=1)
        self.e2 = nn.Conv2d(c, 2 * c, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.out = nn.Conv2d(c, k, 1)

    def forward(self, x):
        a = F.relu(self.e1(x))
        b = F.relu(self.e2(a))
        features = b
        return self.out(F.relu(self.up(features)))


def scene(n, s=16):
    m = torch.zeros(n, s, s, dtype=torch.long)
    for i in range(n):
        for c in (1, 2):
            r, q = torch.randint(0, s - 6, (2,)).tolist()
            m[i, r:r + 6, q:q + 6] = c
    return (m.float() - 1)[:, None] + 0.5 * torch.randn(n, 1, s, s), m


imgs, masks = scene(640)
net = Seg()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(6):
    for b in torch.randperm(640).split(32):
        loss = F.cross_entropy(net(imgs[b]), masks[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
