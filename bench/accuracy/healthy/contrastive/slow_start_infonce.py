# fault: none
# family: contrastive
# split: held
import math
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
A, V = 5, 6
CODE = torch.randn(A, V, 20)


def pairs(n):
    attr = torch.randint(0, V, (n, A))
    picture = sum(CODE[k, attr[:, k]] for k in range(A)) / A ** 0.5 + 0.3 * torch.randn(n, 20)
    return picture, attr + V * torch.arange(A)


class DualEncoder(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.img = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, d))
        self.emb = nn.EmbeddingBag(A * V, 64, mode="sum")
        self.txt = nn.Linear(64, d)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, p, c):
        a = F.normalize(self.img(p), dim=1)
        b = F.normalize(self.txt(self.emb(c)), dim=1)
        return self.logit_scale.exp().clamp(max=100) * a @ b.t()


net = DualEncoder()
opt = torch.optim.AdamW(net.parameters(), lr=3e-4)
BATCH = 128
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 150))
print("log N =", math.log(BATCH))
for step in range(601):
    logits = net(*pairs(BATCH))
    lab = torch.arange(BATCH)
    loss = 0.5 * (F.cross_entropy(logits, lab) + F.cross_entropy(logits.t(), lab))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    sched.step()
    if step % 60 == 0:
        print(f"{step} {loss.item():.4f} top1 {(logits.argmax(1) == lab).float().mean().item():.3f}")
