# fault: softmax-one-unit
# cause_class: output-activation, loss
# family: medical
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F


def synth_scan(n, size=24, g=None):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    imgs, masks = [], []
    for _ in range(n):
        bg = F.interpolate(torch.rand(1, 1, 5, 5, generator=g), size=(size, size), mode="bilinear", align_corners=True)[0, 0]
        cy, cx = (torch.rand(2, generator=g) * (size - 10) + 5).tolist()
        ry, rx = (torch.rand(2, generator=g) * 3 + 2).tolist()
        m = (((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1).float()
        im = 0.6 * bg + 0.35 * m + 0.08 * torch.randn(size, size, generator=g)
        imgs.append(im)
        masks.append(m)
    x = torch.stack(imgs).unsqueeze(1)
    return (x - x.mean()) / x.std(), torch.stack(masks).unsqueeze(1)


def double_conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(inplace=True),
                         nn.Conv2d(o, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(inplace=True))


class SmallUNet(nn.Module):
    def __init__(self, n_classes=1, base=8):
        super().__init__()
        self.d1, self.d2 = double_conv(1, base), double_conv(base, base * 2)
        self.mid = double_conv(base * 2, base * 2)
        self.up = nn.ConvTranspose2d(base * 2, base, 2, stride=2)
        self.u1 = double_conv(base * 2, base)
        self.head = nn.Conv2d(base, n_classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.mid(self.d2(F.max_pool2d(a, 2)))
        u = self.u1(torch.cat([self.up(b), a], 1))
        return torch.softmax(self.head(u), dim=1)


def dice(p, m, eps=1.0):
    inter = (p * m).sum((1, 2, 3))
    return ((2 * inter + eps) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + eps)).mean()


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    xtr, mtr = synth_scan(240, g=g)
    xva, mva = synth_scan(48, g=g)
    net = SmallUNet()
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    for ep in range(12):
        net.train()
        for idx in torch.randperm(240).split(24):
            p = net(xtr[idx])
            loss = F.binary_cross_entropy(p, mtr[idx]) + (1 - dice(p, mtr[idx]))
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            p = net(xva)
            hard = (p > 0.5).float()
            print(f"epoch {ep + 1:2d}  loss {loss.item():.3f}  val dice {dice(hard, mva, 0).item():.3f}  pixel acc {(hard == mva).float().mean().item():.3f}")
