# fault: learning-rate-too-high
# cause_class: learning-rate
# family: transformer
# split: tune
# twin: healthy/twins/copy_adam_half.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Config:
    vocab = 12
    width = 32
    heads = 2
    length = 10
    batch = 32
    steps = 150
    lr = 0.5


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.width), nn.LayerNorm(c.width)
        self.att = nn.MultiheadAttention(c.width, c.heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(c.width, 64), nn.GELU(), nn.Linear(64, c.width))

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.att(h, h, h, need_weights=False)[0]
        return x + self.ff(self.ln2(x))


class Reverser(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(c.vocab, c.width)
        self.pos = nn.Embedding(c.length, c.width)
        self.blocks = nn.ModuleList(Block(c) for _ in range(2))
        self.norm = nn.LayerNorm(c.width)
        self.out = nn.Linear(c.width, c.vocab)

    def forward(self, t):
        x = self.tok(t) + self.pos(torch.arange(t.shape[1]))
        for b in self.blocks:
            x = b(x)
        return self.out(self.norm(x))


c = Config()
net = Reverser(c)
opt = torch.optim.Adam(net.parameters(), lr=c.lr)
for step in range(c.steps):
    t = torch.randint(c.vocab, (c.batch, c.length))
    logits = net(t)
    loss = F.cross_entropy(logits.reshape(-1, c.vocab), t.flip(1).reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        print(step, f"{loss.item():.3f}")
