# fault: none
# family: multitask
# split: held
"""Two domains, one classifier; the domain head is fought by a reversed gradient, so its loss rises."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g, None


centers = torch.randn(5, 12) * 1.2
shift = 1.0 * torch.randn(12)


def sample(n, domain):
    y = torch.randint(5, (n,))
    return centers[y] + 0.7 * torch.randn(n, 12) + shift * domain, y


body = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU())
task, dom = nn.Linear(24, 5), nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam([*body.parameters(), *task.parameters(), *dom.parameters()], lr=1e-3)
xv, yv = sample(600, 1)
for step in range(1, 801):
    strength = 0.3 * min(1.0, step / 400)
    xa, ya = sample(48, 0)
    xb, yb = sample(48, 1)
    f = body(torch.cat([xa, xb]))
    lt = F.cross_entropy(task(f), torch.cat([ya, yb]))
    ld = F.cross_entropy(dom(Reverse.apply(f, strength)), torch.arange(2).repeat_interleave(48))
    opt.zero_grad()
    (lt + ld).backward()
    opt.step()
    if step % 80 == 0:
        with torch.no_grad():
            o = task(body(xv))
        print(f"step {step} task {lt.item():.4f} domain {ld.item():.4f} val task {F.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
