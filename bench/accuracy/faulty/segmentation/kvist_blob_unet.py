# fault: sigmoid-twice
# cause_class: output-activation, loss, labels, data-scaling
# family: segmentation
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def make(n, s=24):
    yy, xx = torch.meshgrid(torch.arange(s), torch.arange(s), indexing="ij")
    cy, cx = torch.randint(5, s - 5, (2, n, 1, 1))
    r = torch.randint(2, 5, (n, 1, 1))
    m = (((yy - cy) ** 2 + (xx - cx) ** 2) <= r ** 2).float()
    img = 1.2 * m + 0.5 * torch.randn(n, s, s)
    return img.unsqueeze(1), m.unsqueeze(1)


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class MiniUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2 = block(1, w), block(w, 2 * w)
        self.up = nn.ConvTranspose2d(2 * w, w, 2, 2)
        self.u1 = block(2 * w, w)
        self.head = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(nn.functional.max_pool2d(a, 2))
        c = self.u1(torch.cat([a, self.up(b)], 1))
        return torch.sigmoid(self.head(c))


bce = nn.BCEWithLogitsLoss()
img, msk = make(400)
vi, vm = make(60)
net = MiniUNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
it = 0
for ep in range(8):
    net.train()
    for b in torch.randperm(400).split(16):
        pred = net(img[b])
        loss = bce(pred, msk[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        it += 1
    net.eval()
    with torch.no_grad():
        p = net(vi)
        hard = (p > 0.5).float()
        iou = (hard * vm).sum() / ((hard + vm) > 0).sum()
        print(f"epoch {ep} it {it} train {loss.item():.4f} val {bce(p, vm).item():.4f} iou {iou.item():.3f}")
