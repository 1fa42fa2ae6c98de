# fault: none
# family: detection
# split: held
# set: vole, unseen
"""Bin picking demo: finds screws / nuts / washers in the tray camera image.  One-shot grid detector, head per cell:
[objectness, dx, dy, w, h, class logits].  Tray is rendered here so that the demo runs without the camera."""
import math
import os
import random
import types

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

C = types.SimpleNamespace(img=32, grid=4, classes=3, n_train=384, n_eval=96, bs=16, steps=220, lr=0.004, warm=20, w_box=5.0, w_cls=1.0, w_obj=1.0)
SEED = int(os.environ.get("SEED", 0))


def seed_all(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


def render(rng):
    """image (3,H,W) in 0..1 and rows (cls, cx, cy, w, h) in pixels"""
    cell = C.img // C.grid
    img = np.full((3, C.img, C.img), rng.uniform(0.3, 0.5), np.float32)
    img += np.linspace(-0.1, 0.1, C.img, dtype=np.float32)[None, None] * rng.uniform(-1, 1)
    yy, xx = np.mgrid[0:C.img, 0:C.img] + 0.5
    rows, taken = [], set()
    for _ in range(rng.integers(1, 4)):
        k = int(rng.integers(0, C.classes))
        cx, cy = rng.uniform(5, C.img - 5, 2)
        if (int(cx // cell), int(cy // cell)) in taken:
            continue
        taken.add((int(cx // cell), int(cy // cell)))
        if k == 0:
            w, h = rng.uniform(4, 6), rng.uniform(8, 12)
            inside = (abs(xx - cx) < w / 2) & (abs(yy - cy) < h / 2)
        else:
            w = h = rng.uniform(7, 11)
            r = np.hypot(xx - cx, yy - cy)
            inside = (r < w / 2) if k == 1 else (r < w / 2) & (r > w / 4)
        for ch, shade in enumerate((0.35, 0.3, 0.25)):
            img[ch][inside] += shade * rng.uniform(0.8, 1.2)
        rows.append((k, cx, cy, w, h))
    return (img + rng.normal(0, 0.04, img.shape)).astype(np.float32), rows


def encode(rows):
    cell = C.img / C.grid
    t = torch.zeros(6, C.grid, C.grid)
    for k, cx, cy, w, h in rows:
        gx, gy = int(cx // cell), int(cy // cell)
        t[:, gy, gx] = torch.tensor([1.0, cx / cell - gx, cy / cell - gy, w / C.img, h / C.img, k])
    return t


def make_set(n, seed):
    rng = np.random.default_rng(seed)
    samples = [render(rng) for _ in range(n)]
    return torch.from_numpy(np.stack([s[0] for s in samples])), torch.stack([encode(s[1]) for s in samples])


def conv(i, o, stride):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1))


class GridNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(conv(3, 8, 1), nn.MaxPool2d(2), conv(8, 20, 1), nn.MaxPool2d(2), conv(20, 40, 2), conv(40, 40, 1))
        self.obj_box = nn.Conv2d(40, 5, 1)
        self.cls = nn.Conv2d(40, C.classes, 1)
        nn.init.constant_(self.obj_box.bias[:1].data, -2.0)

    def forward(self, x):
        f = self.backbone(x)
        ob = self.obj_box(f)
        return ob[:, 0], torch.sigmoid(ob[:, 1:5]), self.cls(f)


def criterion(pred, target):
    obj, box, cls = pred
    has = target[:, 0] > 0.5
    l_obj = F.binary_cross_entropy_with_logits(obj, target[:, 0])
    l_box = F.smooth_l1_loss(box.permute(0, 2, 3, 1)[has], target[:, 1:5].permute(0, 2, 3, 1)[has], beta=0.05)
    l_cls = F.cross_entropy(cls.permute(0, 2, 3, 1)[has], target[:, 5][has].long())
    return C.w_obj * l_obj + C.w_box * l_box + C.w_cls * l_cls, (l_obj.item(), l_box.item(), l_cls.item())


def corners(box):
    """(N,4,G,G) cell-relative -> x0 y0 x1 y1 in pixels"""
    g = torch.arange(C.grid).float()
    cell = C.img / C.grid
    cx, cy = (box[:, 0] + g[None, None, :]) * cell, (box[:, 1] + g[None, :, None]) * cell
    w, h = box[:, 2] * C.img, box[:, 3] * C.img
    return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], 1)


@torch.no_grad()
def f1_at_half(net, images, target):
    """a hit: cell fires, class right, IoU >= 0.5"""
    net.eval()
    obj, box, cls = net(images)
    a, b = corners(box), corners(target[:, 1:5])
    lt, rb = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(1)
    area = lambda z: (z[:, 2:] - z[:, :2]).clamp(min=0).prod(1)
    iou = inter / (area(a) + area(b) - inter).clamp(min=1e-6)
    fires, has = obj > 0, target[:, 0] > 0.5
    hit = fires & has & (iou > 0.5) & (cls.argmax(1) == target[:, 5].long())
    return (2 * hit.sum() / (fires.sum() + has.sum()).clamp(min=1)).item()


def run():
    seed_all(SEED)
    images, target = make_set(C.n_train, SEED + 100)
    ev_images, ev_target = make_set(C.n_eval, SEED + 200)
    net = GridNet()
    opt = torch.optim.SGD(net.parameters(), lr=C.lr * 10, momentum=0.9, weight_decay=5e-4)
    lr_at = lambda s: min(1.0, (s + 1) / C.warm) * 0.5 * (1 + math.cos(math.pi * s / C.steps))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)
    for step in range(C.steps):
        net.train()
        pick = torch.randint(0, C.n_train, (C.bs,))
        x, t = images[pick], target[pick]
        loss, parts = criterion(net(x), t)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        sched.step()
        if step % 55 == 54:
            print("step %4d  loss %.4f  obj %.4f box %.4f cls %.4f" % (step + 1, loss.item(), *parts))
    print("METRIC f1_at_50 %.4f" % f1_at_half(net, ev_images, ev_target))


if __name__ == "__main__":
    run()
