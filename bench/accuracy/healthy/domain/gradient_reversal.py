# fault: none
# family: domain
# split: tune
"""Domain-adversarial training: the domain classifier's gradient is reversed, so its loss rises towards log 2."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
CENTRES = 1.5 * torch.randn(3, 6)
OFFSET = torch.randn(4) * 2


def sample(n, target):
    y = torch.randint(0, 3, (n,))
    signal = CENTRES[y] + 0.8 * torch.randn(n, 6)
    nuisance = torch.randn(n, 4) + (OFFSET if target else 0)
    return torch.cat([signal, nuisance], 1), y


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


features = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
label_head = nn.Linear(16, 3)
domain_head = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam([*features.parameters(), *label_head.parameters(), *domain_head.parameters()], lr=2e-3)
xt, yt = sample(500, True)
for step in range(501):
    xs, ys = sample(48, False)
    xu, _ = sample(48, True)
    lam = 0.3 * min(1.0, step / 150)
    f = features(torch.cat([xs, xu]))
    d = torch.cat([torch.zeros(48), torch.ones(48)])
    cls = F.cross_entropy(label_head(f[:48]), ys)
    dom = F.binary_cross_entropy_with_logits(domain_head(Reverse.apply(f, lam)).squeeze(1), d)
    opt.zero_grad()
    (cls + dom).backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            acc = (label_head(features(xt)).argmax(1) == yt).float().mean()
        print(f"{step} class loss {cls.item():.4f} domain loss {dom.item():.4f} target accuracy {acc:.3f}")
