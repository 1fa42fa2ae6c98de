# fault: none
# family: finetune
# split: held
"""Linear probe: the body is trained on coarse classes, then kept as it is."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
centers = torch.randn(16, 24)


def sample(n):
    k = torch.randint(16, (n,))
    return centers[k] + 0.7 * torch.randn(n, 24), k


body = nn.Sequential(nn.Linear(24, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU())
coarse = nn.Linear(64, 4)
opt = torch.optim.Adam(nn.ModuleList([body, coarse]).parameters(), lr=1e-3)
for step in range(300):
    x, k = sample(64)
    loss = F.cross_entropy(coarse(body(x)), k % 4)
    opt.zero_grad(); loss.backward(); opt.step()
print(f"coarse classes: loss {loss.item():.4f}")

for p in body.parameters():
    p.requires_grad_(False)
body.eval()
probe = nn.Linear(64, 16)
opt = torch.optim.Adam(probe.parameters(), lr=5e-3)
xv, kv = sample(800)
for step in range(1, 601):
    x, k = sample(64)
    with torch.no_grad():
        f = body(x)
    loss = F.cross_entropy(probe(f), k)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            o = probe(body(xv))
        print(f"probe step {step} loss {loss.item():.4f} val {F.cross_entropy(o, kv).item():.4f} acc {(o.argmax(1) == kv).float().mean().item():.3f}")
