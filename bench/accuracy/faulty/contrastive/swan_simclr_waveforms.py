# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: held
"""SimCLR on 1-d waveforms: two crops with noise and gain make a positive pair."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
CFG = dict(n=1024, length=96, crop=64, classes=6, batch=64, steps=350, lr=1e-3, temperature=0.07)


def waveforms(n):
    cls = torch.randint(0, CFG["classes"], (n,))
    t = torch.linspace(0, 1, CFG["length"])
    f1 = 4 + 3.0 * cls.float()[:, None] + 0.8 * torch.randn(n, 1)
    f2 = 40 * torch.rand(n, 1)
    ph = 6.28 * torch.rand(n, 2)
    x = torch.sin(6.28 * f1 * t + ph[:, :1]) + 0.5 * torch.sin(6.28 * f2 * t + ph[:, 1:])
    return x, cls


def augment(x):
    n = len(x)
    start = torch.randint(0, CFG["length"] - CFG["crop"] + 1, (n, 1))
    idx = start + torch.arange(CFG["crop"])
    v = x.gather(1, idx)
    return v * (0.8 + 0.4 * torch.rand(n, 1)) + 0.1 * torch.randn_like(v)


class Encoder(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.BatchNorm1d(16), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, d, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 32))

    def forward(self, x):
        h = self.conv(x[:, None])
        return h, self.head(h)


class NTXent(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, za, zb):
        z = F.normalize(torch.cat([za, zb]), dim=1)
        n = len(za)
        logits = (z @ z.T) * self.temperature
        logits = logits.masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
        target = torch.arange(2 * n).roll(n)
        return F.cross_entropy(logits, target), (logits.argmax(1) == target).float().mean()


def probe(enc, x, y, xt, yt):
    enc.eval()
    with torch.no_grad():
        h, ht = enc.conv(x[:, None, :CFG["crop"]]), enc.conv(xt[:, None, :CFG["crop"]])
    enc.train()
    d = torch.cdist(ht, h).topk(5, largest=False).indices
    return (y[d].mode(1).values == yt).float().mean().item()


x, y = waveforms(CFG["n"])
xt, yt = waveforms(256)
enc, crit = Encoder(), NTXent(CFG["temperature"])
opt = torch.optim.AdamW(enc.parameters(), lr=CFG["lr"], weight_decay=1e-4)
for step in range(CFG["steps"]):
    b = x[torch.randint(0, len(x), (CFG["batch"],))]
    loss, top1 = crit(enc(augment(b))[1], enc(augment(b))[1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == CFG["steps"] - 1:
        print(f"{step:4d} ntxent {loss.item():.4f} top1 {top1:.3f} knn {probe(enc, x, y, xt, yt):.3f}")
