# fault: none
# family: contrastive
# split: tune
# Two towers with a learnt temperature; the labels are the same arange at every step.
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class CLIP(nn.Module):
    def __init__(self, d_img, vocab, dim=24):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(d_img, 64), nn.GELU(), nn.Linear(64, dim))
        self.words = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.text = nn.Linear(dim, dim)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, img, txt):
        a = F.normalize(self.image(img), dim=-1)
        b = F.normalize(self.text(self.words(txt)), dim=-1)
        return self.logit_scale.exp() * a @ b.T


colour, shape = torch.randn(12, 20), torch.randn(12, 20)


def pairs(n):
    c, s = torch.randint(0, 12, (n,)), torch.randint(0, 12, (n,))
    return colour[c] + shape[s] + 0.3 * torch.randn(n, 20), torch.stack([c, 12 + s], 1)


model = CLIP(20, 24)
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.1)
labels = torch.arange(32)
log = []
for step in range(220):
    logits = model(*pairs(32))
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        model.logit_scale.clamp_(max=math.log(100))
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {sum(log[-10:]) / 10:.4f}")
