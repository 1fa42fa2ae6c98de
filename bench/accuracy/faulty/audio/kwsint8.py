# fault: no-gradient
# cause_class: structure, not-updated
# family: audio
# split: held
# set: genet, unseen
"""Quantisation-aware keyword spotter (4 words, 20 frames x 10 mel bands, int8 weights and activations)."""
import os
import random
from collections import OrderedDict

import torch
from torch import nn
import torch.nn.functional as F

WORDS = ("yes", "no", "stop", "go")


def seed_all(s):
    random.seed(s)
    torch.manual_seed(s)


def fake_quant(x, bits=8):
    """symmetric per-tensor fake quantisation"""
    qmax = 2 ** (bits - 1) - 1
    scale = x.detach().abs().max().clamp(min=1e-6) / qmax
    q = torch.round(x / scale).clamp(-qmax, qmax) * scale
    return q


class QLinear(nn.Linear):
    def forward(self, x):
        return F.linear(fake_quant(x), fake_quant(self.weight), self.bias)


class QConv1d(nn.Conv1d):
    def forward(self, x):
        return F.conv1d(fake_quant(x), fake_quant(self.weight), self.bias, self.stride, self.padding)


class Spotter(nn.Module):
    def __init__(self, mel=10):
        super().__init__()
        self.net = nn.Sequential(OrderedDict(
            c1=QConv1d(mel, 16, 3, padding=1), r1=nn.ReLU(),
            c2=QConv1d(16, 24, 3, stride=2, padding=1), r2=nn.ReLU(),
            pool=nn.AdaptiveAvgPool1d(2), flat=nn.Flatten(),
            fc=QLinear(48, len(WORDS))))

    def forward(self, x):
        return self.net(x)


def utterances(n, templates):
    y = torch.randint(0, len(WORDS), (n,))
    x = templates[y]
    shift = torch.randint(-3, 4, (n,))
    x = torch.stack([torch.roll(a, int(s), dims=1) for a, s in zip(x, shift)])
    return x * (0.6 + 0.8 * torch.rand(n, 1, 1)) + 0.9 * torch.randn_like(x), y


def main():
    seed_all(int(os.environ.get("SEED", 0)))
    templates = F.avg_pool1d(torch.randn(len(WORDS), 10, 24), 5, stride=1) * 1.8
    xtr, ytr = utterances(1600, templates)
    xte, yte = utterances(400, templates)
    net = Spotter()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(10):
        net.train()
        run = 0.0
        for idx in torch.randperm(len(xtr)).split(40):
            opt.zero_grad()
            loss = F.cross_entropy(net(xtr[idx]), ytr[idx])
            loss.backward()
            opt.step()
            run += loss.item() / 40
        net.eval()
        with torch.no_grad():
            acc = (net(xte).argmax(1) == yte).float().mean().item()
        print(f"epoch {epoch:2d}  ce {run:.3f}  int8 test acc {acc:.3f}")


if __name__ == "__main__":
    main()
