# fault: none
# family: contrastive
# split: held
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class BYOL(nn.Module):
    def __init__(self, dim_in, tau=0.99):
        super().__init__()
        self.online = nn.Sequential(mlp(dim_in, 64, 32), mlp(32, 64, 16))
        self.predictor = mlp(16, 32, 16)
        self.target = copy.deepcopy(self.online)
        self.target.requires_grad_(False)
        self.tau = tau

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        sim = F.cosine_similarity(pa, tb).mean() + F.cosine_similarity(pb, ta).mean()
        return 2 - sim

    @torch.no_grad()
    def move_target(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.mul_(self.tau).add_(o, alpha=1 - self.tau)


freqs = torch.linspace(1, 6, 8)
t = torch.linspace(0, 1, 40)


def waves(n):
    k = torch.randint(0, 8, (n,))
    ph = 6.28 * torch.rand(n, 1)

    def view():
        shift = ph + 0.3 * torch.randn(n, 1)
        amp = 1 + 0.2 * torch.randn(n, 1)
        return amp * torch.sin(6.28 * freqs[k][:, None] * t + shift) + 0.2 * torch.randn(n, 40)
    return view(), view(), k


model = BYOL(40)
trainable = [p for p in model.parameters() if p.requires_grad]
opt = torch.optim.Adam(trainable, lr=2e-3)
for step in range(400):
    a, b, _ = waves(128)
    loss = model(a, b)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.move_target()
    if step % 40 == 0:
        print(f"{step} byol {loss.item():.4f}")

model.eval()
with torch.no_grad():
    x, _, k = waves(800)
    h = F.normalize(model.online[0](x), dim=1)
    near = (h @ h.t() - 10 * torch.eye(800)).argmax(1)
    print("neighbour has the same class:", (k[near] == k).float().mean().item(), "std", h.std(0).mean().item())
