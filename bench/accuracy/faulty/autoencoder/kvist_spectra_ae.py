# fault: output-range
# cause_class: output-activation, data-scaling, loss, labels
# family: autoencoder
# split: held
import os
import math

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def spectra(n, bins=64):
    f = torch.linspace(0, 1, bins)
    out = torch.zeros(n, bins)
    for _ in range(2):
        c, w, a = torch.rand(n, 1), 0.03 + 0.05 * torch.rand(n, 1), 0.5 + torch.rand(n, 1)
        out += a * torch.exp(-((f - c) / w) ** 2)
    return out + 0.02 * torch.randn(n, bins)


class Standardize:
    def fit(self, x):
        self.m, self.s = x.mean(0), x.std(0)
        return self

    def __call__(self, x):
        return (x - self.m) / self.s


class SpectraAE(nn.Module):
    def __init__(self, d=64, code=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 64), nn.ELU(), nn.Linear(64, code))
        self.dec = nn.Sequential(nn.Linear(code, 64), nn.ELU(), nn.Linear(64, d), nn.Sigmoid())

    def forward(self, x):
        return self.dec(self.enc(x))


raw = spectra(1500)
prep = Standardize().fit(raw[:1200])
x = prep(raw)
train, test = x[:1200], x[1200:]
ae = SpectraAE()
opt = torch.optim.Adam(ae.parameters(), lr=2e-3)
for ep in range(20):
    total = 0
    for b in torch.randperm(1200).split(48):
        r = ae(train[b])
        loss = (r - train[b]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    if ep % 4 == 3:
        with torch.no_grad():
            v = (ae(test) - test).square().mean().item()
        print(f"epoch {ep + 1}: reconstruction {total / 1200:.4f} | test {v:.4f}")
