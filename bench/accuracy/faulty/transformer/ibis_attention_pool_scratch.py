# fault: init-too-large
# cause_class: initialisation
# family: transformer
# split: held
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

VOCAB, LENGTH, DIM, CLASSES = 30, 16, 64, 5


def batch(n):
    """the class is the token that occurs most often among the five marker tokens"""
    x = torch.randint(CLASSES, VOCAB, (n, LENGTH))
    y = torch.randint(0, CLASSES, (n,))
    other = (y + torch.randint(1, CLASSES, (n,))) % CLASSES
    pos = torch.rand(n, LENGTH).argsort(1)
    for k in range(3):
        x[torch.arange(n), pos[:, k]] = y
    x[torch.arange(n), pos[:, 3]] = other
    return x, y


class Attention(nn.Module):
    """single-head attention written out by hand"""

    def __init__(self, dim):
        super().__init__()
        self.wq = nn.Parameter(torch.randn(dim, dim))
        self.wk = nn.Parameter(torch.randn(dim, dim))
        self.wv = nn.Parameter(torch.randn(dim, dim))
        self.wo = nn.Parameter(torch.randn(dim, dim))

    def forward(self, x):
        q, k, v = x @ self.wq, x @ self.wk, x @ self.wv
        att = F.softmax(q @ k.transpose(1, 2) / math.sqrt(x.shape[-1]), dim=-1)
        return (att @ v) @ self.wo


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(dim, hidden))
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.w2 = nn.Parameter(torch.randn(hidden, dim))
        self.b2 = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return F.relu(x @ self.w1 + self.b1) @ self.w2 + self.b2


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, DIM)
        self.att = Attention(DIM)
        self.ff = FeedForward(DIM, 2 * DIM)
        self.w_out = nn.Parameter(torch.randn(DIM, CLASSES))
        self.b_out = nn.Parameter(torch.zeros(CLASSES))

    def forward(self, tokens):
        x = self.emb(tokens)
        x = x + self.att(x)
        x = x + self.ff(x)
        return x.mean(dim=1) @ self.w_out + self.b_out


model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x_val, y_val = batch(500)
for step in range(600):
    x, y = batch(32)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0 or step == 599:
        with torch.no_grad():
            out = model(x_val)
            print(f"{step:4d} loss {loss.item():10.3f} val loss {F.cross_entropy(out, y_val).item():10.3f} "
                  f"acc {(out.argmax(1) == y_val).float().mean().item():.3f}")
