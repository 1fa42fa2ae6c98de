# fault: none
# family: transformer
# split: held
import math
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, T, D = 12, 10, 64


class Attention(nn.Module):
    def __init__(self, d, heads=4):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        w = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(D // self.h), -1)
        return self.out((w @ v).transpose(1, 2).reshape(B, T, D))


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a, self.l1, self.l2 = Attention(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.f = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.a(self.l1(x))
        return x + self.f(self.l2(x))


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, D)
        self.pos = nn.Parameter(0.1 * torch.randn(T, D))
        self.layers = nn.Sequential(Layer(D), Layer(D))
        self.norm = nn.LayerNorm(D)

    def forward(self, ids):
        h = self.norm(self.layers(self.tok(ids) * math.sqrt(D) * 0.1 + self.pos))
        return h @ self.tok.weight.t()      # tied


class Noam:
    def __init__(self, opt, d, factor, warmup):
        self.opt, self.d, self.factor, self.warmup, self.n = opt, d, factor, warmup, 0

    def step(self):
        self.n += 1
        lr = self.factor * self.d ** -0.5 * min(self.n ** -0.5, self.n * self.warmup ** -1.5)
        for g in self.opt.param_groups:
            g["lr"] = lr
        self.opt.step()
        return lr


model = Reverser()
nn.init.normal_(model.tok.weight, std=0.3)
opt = torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
noam = Noam(opt, D, factor=0.5, warmup=120)
for it in range(1, 351):
    x = torch.randint(0, VOCAB, (32, T))
    logits = model(x)
    loss = F.cross_entropy(logits.reshape(-1, VOCAB), x.flip(1).reshape(-1), label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    lr = noam.step()
    if it % 50 == 0 or it == 1:
        acc = (logits.argmax(-1) == x.flip(1)).float().mean().item()
        print(f"{it} loss {loss.item():.3f} acc {acc:.3f} lr {lr:.5f}")
