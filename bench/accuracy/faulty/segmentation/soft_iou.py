# fault: no-gradient
# cause_class: not-updated, structure, loss, labels
# family: segmentation
# split: tune
# set: quokka, unseen
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def discs(n, s=16):
    g = torch.arange(s).float()
    cx, cy, r = 4 + 8 * torch.rand(n, 1, 1), 4 + 8 * torch.rand(n, 1, 1), 2 + 2.5 * torch.rand(n, 1, 1)
    mask = ((g[None, :, None] - cy) ** 2 + (g[None, None, :] - cx) ** 2 < r ** 2).float().unsqueeze(1)
    return mask + 0.6 * torch.randn(n, 1, s, s), mask


class IoULoss(nn.Module):
    def __init__(self, threshold=0.5, smooth=1.0):
        super().__init__()
        self.threshold, self.smooth = threshold, smooth

    def forward(self, logits, mask):
        pred = (torch.sigmoid(logits) > self.threshold).float()
        inter = (pred * mask).flatten(1).sum(1)
        union = (pred + mask - pred * mask).flatten(1).sum(1)
        loss = 1 - ((inter + self.smooth) / (union + self.smooth)).mean()
        return loss.requires_grad_()


class MiniUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1 = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
        self.d2 = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Conv2d(16, 1, 3, padding=1)

    def forward(self, x):
        a = self.d1(x)
        return self.out(torch.cat([a, self.up(self.d2(a))], 1))


x, m = discs(640)
loader = DataLoader(TensorDataset(x, m), batch_size=16, shuffle=True)
net, crit = MiniUNet(), IoULoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(4):
    tot = 0.0
    for xb, mb in loader:
        opt.zero_grad()
        loss = crit(net(xb), mb)
        loss.backward()
        opt.step()
        tot += loss.item()
    print(f"epoch {epoch} 1-IoU {tot / len(loader):.4f}")
