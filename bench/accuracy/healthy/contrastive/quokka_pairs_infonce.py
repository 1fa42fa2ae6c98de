# fault: none
# family: contrastive
# split: tune
import os
import math
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Tower(nn.Module):
    def __init__(self, d_in, d=16):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d_in, 64), nn.GELU(), nn.Linear(64, d))

    def forward(self, x):
        return F.normalize(self.f(x), dim=-1)


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = Tower(40), Tower(25)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, a, b):
        return self.log_scale.clamp(max=math.log(100)).exp() * self.image(a) @ self.text(b).t()


A, B = torch.randn(6, 40), torch.randn(6, 25)


def pairs(n):
    z = torch.randn(n, 6)
    return torch.tanh(z @ A * 0.5) + 0.2 * torch.randn(n, 40), torch.tanh(z @ B * 0.5) + 0.2 * torch.randn(n, 25)


m = Clip()
opt = torch.optim.AdamW(m.parameters(), lr=1e-3, weight_decay=0.05)
N = 64
target = torch.arange(N)
va, vb = pairs(N)
warm = torch.optim.lr_scheduler.LinearLR(opt, 0.05, 1.0, 80)
for it in range(400):
    a, b = pairs(N)
    s = m(a, b)
    loss = 0.5 * (F.cross_entropy(s, target) + F.cross_entropy(s.t(), target))
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    if it % 50 == 49:
        m.eval()
        with torch.no_grad():
            top = (m(va, vb).argmax(1) == target).float().mean()
        m.train()
        print(f"{it + 1} loss {loss.item():.4f} (log N {math.log(N):.2f}) recall@1 {top:.3f} scale {m.log_scale.exp().item():.1f}")
