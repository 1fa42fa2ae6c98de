# fault: none
# family: contrastive
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
style = torch.randn(300, 20)


def pairs(n, lo, hi):
    a = torch.randint(lo, hi, (n,))
    same = torch.rand(n) < 0.5
    b = torch.where(same, a, torch.randint(lo, hi, (n,)))
    f = lambda k: style[k] + 0.5 * torch.randn(n, 20)
    return f(a), f(b), (a == b).float()


net = nn.Sequential(nn.Linear(20, 48), nn.PReLU(), nn.Linear(48, 12))


def contrastive(x, y, same, margin=2.0):
    d = (net(x) - net(y)).pow(2).sum(1).add(1e-8).sqrt()
    return (same * d ** 2 + (1 - same) * torch.relu(margin - d) ** 2).mean(), d


opt = torch.optim.Adam(net.parameters(), lr=1e-3)
vx, vy, vs = pairs(1000, 240, 300)
for step in range(1, 801):
    loss, _ = contrastive(*pairs(64, 0, 240))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 80 == 0:
        with torch.no_grad():
            v, d = contrastive(vx, vy, vs)
        print(f"step {step} loss {loss.item():.4f} unseen {v.item():.4f} verified {((d < 1.0).float() == vs).float().mean().item():.3f}")
