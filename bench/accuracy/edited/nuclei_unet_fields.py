# fault: none
# family: segmentation
# split: held
# set: okapi, unseen
# %% nuclei segmentation - small U-Net  (notebook export)
import os
import random
import math
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

N_TRAIN, N_VAL, HW = 160, 48, 32
BATCH = 8
EPOCHS = 10
LR = 4e-3

# %% fake microscope
def make_field(rs):
    img = rs.normal(0, 1, (HW, HW)) * 350 + 2200 + 600 * np.linspace(0, rs.uniform(-1, 1), HW)[None]
    mask = np.zeros((HW, HW), bool)
    yy, xx = np.mgrid[:HW, :HW]
    for _ in range(rs.randint(1, 4)):
        cy, cx = rs.uniform(4, HW - 4, 2)
        a, b = rs.uniform(2.0, 4.2, 2)
        m = ((yy - cy) / a) ** 2 + ((xx - cx) / b) ** 2 < 1
        img[m] += rs.uniform(450, 900)
        mask |= m
    # bright thin fibres: debris, not nuclei
    for _ in range(rs.randint(0, 3)):
        r = rs.randint(0, HW)
        img[r, :] += 900
    return img.astype(np.uint16), mask.astype(np.uint8)

rs = np.random.RandomState(SEED)
fields = [make_field(rs) for _ in range(N_TRAIN + N_VAL)]

def to_tensor(img, mask):
    x = torch.from_numpy(img.astype(np.float32))[None]
    x = (x - x.mean()) / x.std()
    y = torch.from_numpy(mask.astype(np.float32))[None]
    return x, y

train = [to_tensor(*f) for f in fields[:N_TRAIN]]
val = [to_tensor(*f) for f in fields[N_TRAIN:]]
Xv = torch.stack([x for x, _ in val]); Yv = torch.stack([y for _, y in val])

def augment(x, y):
    if random.random() < 0.5:
        x, y = x.flip(-1), y.flip(-1)
    if random.random() < 0.5:
        x, y = x.flip(-2), y.flip(-2)
    k = random.randint(0, 3)
    x, y = x.rot90(k, (-2, -1)), y.rot90(k, (-2, -1))
    return x, y

def batches():
    idx = torch.randperm(len(train))
    for i in range(0, len(train), BATCH):
        pairs = [augment(*train[j]) for j in idx[i:i + BATCH]]
        yield torch.stack([p[0] for p in pairs]), torch.stack([p[1] for p in pairs])

# %% model
class DoubleConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a = nn.Conv2d(i, o, 3, padding=1)
        self.b = nn.Conv2d(o, o, 3, padding=1)
    def forward(self, x):
        x = F.relu(self.a(x))
        return F.relu(self.b(x))

class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1 = DoubleConv(1, c)
        self.d2 = DoubleConv(c, 2 * c)
        self.mid = DoubleConv(2 * c, 4 * c)
        self.up2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, 2)
        self.u2 = DoubleConv(4 * c, 2 * c)
        self.up1 = nn.ConvTranspose2d(2 * c, c, 2, 2)
        self.u1 = DoubleConv(2 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        e1 = self.d1(x)
        e2 = self.d2(F.max_pool2d(e1, 2))
        m = self.mid(F.max_pool2d(e2, 2))
        x = self.u2(torch.cat([self.up2(m), e2], 1))
        x = self.u1(torch.cat([self.up1(x), e1], 1))
        return self.out(x)

# %% losses
def soft_dice(logits, target, eps=1.0):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((-2, -1))
    return (2 * inter + eps) / (p.sum((-2, -1)) + target.sum((-2, -1)) + eps)

def pixel_bce(logits, target):
    return -(target * F.logsigmoid(logits) + (1 - target) * F.logsigmoid(-logits)).mean()

@torch.no_grad()
def val_dice(net):
    net.eval()
    pred = (net(Xv) > 0).float()
    inter = (pred * Yv).sum((1, 2, 3))
    return ((2 * inter + 1e-6) / (pred.sum((1, 2, 3)) + Yv.sum((1, 2, 3)) + 1e-6)).mean().item()

# %% train
net = UNet()
opt = torch.optim.Adam(net.parameters(), lr=LR)
sched = torch.optim.lr_scheduler.StepLR(opt, 4, gamma=0.5)

for ep in range(EPOCHS):
    net.train()
    tot, n = 0.0, 0
    for xb, yb in batches():
        opt.zero_grad()
        logits = net(xb)
        dice = soft_dice(logits, yb).mean()
        loss = pixel_bce(logits, yb) + (1 - dice)
        loss.backward()
        opt.step()
        tot += loss.item(); n += 1
    sched.step()
    print("epoch %d  loss %.4f  val dice %.4f" % (ep, tot / n, val_dice(net)))

print("METRIC val_dice %.4f" % val_dice(net))
