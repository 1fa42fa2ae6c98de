# fault: none
# family: transformer
# split: held
"""Pairs of symbols: does the second half repeat the first one?"""
import os
import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, HALF, STEPS, WARM = 9, 3, 500, 100


def pairs(n):
    a = torch.randint(V, (n, HALF))
    same = torch.randint(2, (n,))
    b = torch.where(same[:, None] == 1, a, torch.randint(V, (n, HALF)))
    x = torch.cat([a, b], 1)
    return x, (a == b).all(1).long()


class Twin(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.e = nn.Embedding(V, d)
        self.p = nn.Parameter(torch.randn(2 * HALF, d) * 0.5)
        self.t = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 64, 0.0, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
        self.o = nn.Sequential(nn.Flatten(), nn.Linear(2 * HALF * d, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, x):
        return self.o(self.t(self.e(x) + self.p))


net = Twin()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
sched = LambdaLR(opt, lambda s: s / WARM if s < WARM else (STEPS - s) / (STEPS - WARM))
ce = nn.CrossEntropyLoss()
xv, yv = pairs(600)
for step in range(STEPS):
    x, y = pairs(64)
    loss = ce(net(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 50 == 49:
        net.eval()
        with torch.no_grad():
            o = net(xv)
        net.train()
        print(f"{step + 1} lr {sched.get_last_lr()[0]:.2e} loss {loss.item():.4f} val {ce(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
