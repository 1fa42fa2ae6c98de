# fault: none
# family: transformer
# split: held
import argparse
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--d", type=int, default=64)
ap.add_argument("--layers", type=int, default=2)
ap.add_argument("--steps", type=int, default=350)
ap.add_argument("--lr", type=float, default=2e-3)
A = ap.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", 0)))
V, T = 40, 24


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, A.d)
        self.pos = nn.Parameter(torch.zeros(T, A.d))
        layer = nn.TransformerEncoderLayer(A.d, 4, 2 * A.d, dropout=0.05, batch_first=True, norm_first=True, activation="gelu")
        self.tr = nn.TransformerEncoder(layer, A.layers, norm=nn.LayerNorm(A.d), enable_nested_tensor=False)
        self.head = nn.Linear(A.d, V, bias=False)
        self.head.weight = self.emb.weight
        nn.init.normal_(self.emb.weight, std=0.05)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(T))

    def forward(self, x):
        h = self.emb(x) * math.sqrt(A.d) + self.pos
        return self.head(self.tr(h, mask=self.mask, is_causal=True))


table = (2.5 * torch.randn(V, V)).softmax(1)
s = [torch.randint(0, V, (1200,))]
for _ in range(T):
    s.append(torch.multinomial(table[s[-1]], 1)[:, 0])
s = torch.stack(s, 1)
model = LM()
opt = torch.optim.AdamW(model.parameters(), lr=A.lr, weight_decay=0.01)
warm = torch.optim.lr_scheduler.LinearLR(opt, 0.05, 1.0, 40)
cool = torch.optim.lr_scheduler.CosineAnnealingLR(opt, A.steps - 40)
sched = torch.optim.lr_scheduler.SequentialLR(opt, [warm, cool], [40])
print("entropy of the source", round(-(table * table.log()).sum(1).mean().item(), 3))
for step in range(1, A.steps + 1):
    b = s[torch.randint(0, 1000, (16,))]
    loss = F.cross_entropy(model(b[:, :-1]).reshape(-1, V), b[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            v = s[1000:]
            val = F.cross_entropy(model(v[:, :-1]).reshape(-1, V), v[:, 1:].reshape(-1)).item()
        model.train()
        print(step, f"loss {loss.item():.4f} val {val:.4f}")
