# fault: labels-outside-range
# cause_class: labels, data-scaling, loss, data-loading
# family: segmentation
# split: held
"""Binary segmentation of bright blobs on textured background."""
import os
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

args = SimpleNamespace(size=32, n_train=320, n_val=64, batch=16, epochs=8, lr=2e-3, seed=int(os.environ.get("SEED", "0")))
torch.manual_seed(args.seed)


def draw_scene(size):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    mask = torch.zeros(size, size, dtype=torch.bool)
    for _ in range(int(torch.randint(1, 4, ()))):
        cy, cx = torch.rand(2) * size
        r = 3 + 5 * torch.rand(())
        mask |= (yy - cy) ** 2 + (xx - cx) ** 2 < r ** 2
    img = 90 + 30 * torch.randn(3, size, size) + 70 * mask
    return img.clamp(0, 255).to(torch.uint8), (mask * 255).to(torch.uint8)


def to_float(pic):
    """uint8 picture -> float, channels first."""
    if pic.dim() == 3:
        return pic.float() / 255.0
    return pic.unsqueeze(0).float()


class Blobs(Dataset):
    mean, std = 0.42, 0.15

    def __init__(self, n, augment):
        self.scenes, self.augment = [draw_scene(args.size) for _ in range(n)], augment

    def __len__(self):
        return len(self.scenes)

    def __getitem__(self, i):
        img, mask = map(to_float, self.scenes[i])
        img = (img - self.mean) / self.std
        if self.augment and torch.rand(()) < 0.5:
            img, mask = img.flip(-1), mask.flip(-1)
        return img, mask


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2, self.mid = conv(3, w), conv(w, 2 * w), conv(2 * w, 2 * w)
        self.u2, self.u1 = conv(4 * w, w), conv(2 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        u = self.u2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        u = self.u1(torch.cat([F.interpolate(u, scale_factor=2), a], 1))
        return self.out(u)


@torch.no_grad()
def validate(net, loader):
    net.eval()
    inter = union = 0.0
    for x, m in loader:
        p, m = net(x) > 0, m > 0.5
        inter += (p & m).sum().item()
        union += (p | m).sum().item()
    net.train()
    return inter / max(union, 1)


train = DataLoader(Blobs(args.n_train, True), args.batch, shuffle=True, drop_last=True)
val = DataLoader(Blobs(args.n_val, False), args.batch)
net = UNet()
opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-4)
for ep in range(args.epochs):
    run = 0.0
    for x, m in train:
        loss = F.binary_cross_entropy_with_logits(net(x), m)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        run += loss.item() / len(train)
    print(f"[{ep}] bce {run:.3f} iou {validate(net, val):.3f}")
