# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: transformer
# split: held
# "Attention is all you need", shrunk: learns to reverse short strings with an encoder.
import os, math
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, T, D, H, L = 16, 10, 48, 4, 2


class MultiHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(D, D)
        self.k = nn.Linear(D, D)
        self.v = nn.Linear(D, D)
        self.o = nn.Linear(D, D)

    def forward(self, x):
        B = x.size(0)
        def split(t):
            return t.view(B, -1, H, D // H).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        a = (q @ k.transpose(-2, -1)) / math.sqrt(D // H)
        y = a.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(B, -1, D))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.att, self.n1, self.n2 = MultiHead(), nn.LayerNorm(D), nn.LayerNorm(D)
        self.ff = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.ff(self.n2(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.pos = nn.Parameter(torch.randn(T, D) * 0.02)
        self.blocks = nn.Sequential(*[Block() for _ in range(L)])
        self.norm = nn.LayerNorm(D)
        self.gen = nn.Linear(D, V)

    def forward(self, x):
        return self.gen(self.norm(self.blocks(self.emb(x) + self.pos)))


class NoamOpt:
    def __init__(self, model_size, factor, warmup, optimizer):
        self.optimizer, self._step = optimizer, 0
        self.warmup, self.factor, self.model_size = warmup, factor, model_size

    def rate(self):
        s = self._step
        return self.factor * (self.model_size ** 0.5 * min(s ** -0.5, s * self.warmup ** -1.5))

    def step(self):
        self._step += 1
        for g in self.optimizer.param_groups:
            g["lr"] = self.rate()
        self.optimizer.step()

    def zero_grad(self):
        self.optimizer.zero_grad()


model = Net()
opt = NoamOpt(D, 0.5, 100, torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9))
running = 0.0
for step in range(1, 401):
    src = torch.randint(0, V, (32, T))
    tgt = src.flip(1)
    logits = model(src)
    loss = F.cross_entropy(logits.reshape(-1, V), tgt.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    running += loss.item()
    if step % 50 == 0:
        print(f"step {step} loss {running / 50:.3f} lr {opt.rate():.5f}")
        running = 0.0
