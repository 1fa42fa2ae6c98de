# fault: none
# family: vision
# split: held
# set: puma, unseen
# parcel_vision.py  -- notebook export, cleaned up
# One small camera image per parcel on the belt. Three things to read off at once:
#   symbol printed on the label (6 classes), tilt of the label (4 quarter turns), label size (regression)
# plus an auxiliary symbol classifier on the middle feature map (deep supervision).
import os

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

CFG = dict(
    seed=int(os.environ.get("SEED", "0")),
    n_train=2000, n_val=400, side=16,
    width=8, batch=50, epochs=6, lr=4e-3, aux_weight=0.3, size_weight=2.0,
)
torch.manual_seed(CFG["seed"])
rng = np.random.default_rng(CFG["seed"])

# ------------------------------------------------------------------ data
GLYPHS = np.random.default_rng(11).random((6, 5, 5)) > 0.5
for k in range(6):                       # an arrow-like mark that gives the glyph an "up"
    GLYPHS[k, 0, :] = [0, 0, 1, 0, 0]
    GLYPHS[k, 4, :] = 1


def render(n):
    imgs = np.zeros((n, CFG["side"], CFG["side"], 3), np.uint8)
    sym, tilt = rng.integers(0, 6, n), rng.integers(0, 4, n)
    size = rng.integers(1, 4, n)         # pixels per glyph cell
    for i in range(n):
        g = np.rot90(GLYPHS[sym[i]], tilt[i])
        g = np.kron(g, np.ones((size[i], size[i])))
        s = g.shape[0]
        r, c = ((CFG["side"] - s) // 2 + rng.integers(-1, 2, 2)).clip(0, CFG["side"] - s)
        back = rng.integers(120, 200, 3)
        img = np.ones((CFG["side"], CFG["side"], 3)) * back
        img[r:r + s, c:c + s] -= g[..., None] * rng.integers(60, 110, 3)
        img += rng.normal(0, 14, img.shape)
        imgs[i] = img.clip(0, 255)
    return imgs, sym, tilt, size / 3.0


def to_tensors(n):
    imgs, sym, tilt, size = render(n)
    x = torch.from_numpy(imgs).float()
    x = x.permute(0, 3, 1, 2)
    x = (x - 150.0) / 40.0
    return x, torch.as_tensor(sym), torch.as_tensor(tilt), torch.as_tensor(size, dtype=torch.float32)


x_train, sym_train, tilt_train, size_train = to_tensors(CFG["n_train"])
x_val, sym_val, tilt_val, size_val = to_tensors(CFG["n_val"])


# ------------------------------------------------------------------ model
def conv_block(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class ParcelNet(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.stem = conv_block(3, w)
        self.stage1 = conv_block(w, 2 * w, stride=2)
        self.stage2 = conv_block(2 * w, 2 * w)
        self.stage3 = conv_block(2 * w, 4 * w, stride=2)
        self.neck = nn.Sequential(nn.Flatten(), nn.Linear(4 * w * 16, 96), nn.ReLU(), nn.Dropout(0.1))
        self.heads = nn.ModuleDict({
            "symbol": nn.Linear(96, 6),
            "tilt": nn.Linear(96, 4),
            "size": nn.Linear(96, 1),
        })
        self.aux = nn.Sequential(nn.AdaptiveMaxPool2d(3), nn.Flatten(), nn.Linear(2 * w * 9, 6))

    def forward(self, x):
        mid = self.stage2(self.stage1(self.stem(x)))
        z = self.neck(self.stage3(mid))
        out = {name: head(z) for name, head in self.heads.items()}
        out["aux"] = self.aux(mid)
        return out


def total_loss(out, sym, tilt, size):
    l_sym = F.cross_entropy(out["symbol"], sym)
    l_tilt = F.cross_entropy(out["tilt"], tilt)
    l_size = F.mse_loss(out["size"].squeeze(-1), size)
    l_aux = F.cross_entropy(out["aux"], sym)
    return l_sym + l_tilt + CFG["size_weight"] * l_size + CFG["aux_weight"] * l_aux


def validate(net):
    net.eval()
    with torch.no_grad():
        out = net(x_val)
        a = (out["symbol"].argmax(1) == sym_val).float().mean().item()
        b = (out["tilt"].argmax(1) == tilt_val).float().mean().item()
        r = 1 - F.mse_loss(out["size"].squeeze(-1), size_val).item() / size_val.var().item()
    net.train()
    return a, b, r


# ------------------------------------------------------------------ training
net = ParcelNet(CFG["width"])
opt = torch.optim.Adam(net.parameters(), lr=CFG["lr"])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=CFG["epochs"])

for epoch in range(CFG["epochs"]):
    perm = torch.randperm(len(x_train))
    tot = 0.0
    for i in range(0, len(perm) - CFG["batch"] + 1, CFG["batch"]):
        idx = perm[i:i + CFG["batch"]]
        xb, sb, tb, zb = x_train[idx], sym_train[idx], tilt_train[idx], size_train[idx]
        xb = xb + 0.05 * torch.randn_like(xb)
        loss = total_loss(net(xb), sb, tb, zb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        tot += loss.item()
    sched.step()
    print("epoch %d  loss %.3f  val symbol %.3f tilt %.3f size-R2 %.3f" % (epoch, tot / (len(perm) // CFG["batch"]), *validate(net)))

sym_acc, tilt_acc, size_r2 = validate(net)
score = (sym_acc + tilt_acc + max(size_r2, 0.0)) / 3
print(f"METRIC score {score:.4f}")
