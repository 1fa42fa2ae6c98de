# fault: init-too-large
# cause_class: initialisation
# family: transformer
# split: tune
"""Next token of a noisy cyclic sequence; own blocks with their own initialisation, no final norm."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, T, D = 20, 16, 48


def batch(n):
    s = torch.randint(0, V, (n, 1))
    k = torch.randint(1, 4, (n, 1))
    seq = (s + k * torch.arange(T + 1)) % V
    return seq[:, :-1], seq[:, 1:]


class Block(nn.Module):
    def __init__(self, d, heads=4):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = nn.MultiheadAttention(d, heads, batch_first=True)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        h = self.n1(x)
        x = x + self.att(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.blocks = nn.Sequential(Block(D), Block(D))
        self.head = nn.Linear(D, V)
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            nn.init.normal_(m.weight)
            nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.head(self.blocks(self.tok(x) + self.pos(torch.arange(x.shape[1]))))


model = Model()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
xv, yv = batch(200)
for step in range(301):
    x, y = batch(32)
    loss = F.cross_entropy(model(x).transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            out = model(xv).transpose(1, 2)
        model.train()
        print(f"{step} train {loss.item():.3f} val {F.cross_entropy(out, yv):.3f} acc {(out.argmax(1) == yv).float().mean():.3f}")
