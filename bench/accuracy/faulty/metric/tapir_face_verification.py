# fault: no-gradient
# cause_class: not-updated, structure
# family: metric
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
IDS, DIM = 60, 40


class Gallery:
    """Identities live on curved one-dimensional families (pose) in a 40-dimensional space."""

    def __init__(self):
        self.base = torch.randn(IDS, DIM)
        self.pose = torch.randn(IDS, 2, DIM)
        self.mix = torch.randn(DIM, DIM) / DIM ** 0.5

    def sample(self, n):
        y = torch.randint(0, IDS, (n,))
        a = torch.rand(n, 1) * 3
        x = 0.4 * self.base[y] + torch.sin(a) * self.pose[y, 0] + torch.cos(2 * a) * self.pose[y, 1]
        return torch.tanh(x @ self.mix) + 0.2 * torch.randn(n, DIM), y


class FaceNet(nn.Module):
    def __init__(self, emb=12):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(DIM, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.project = nn.Linear(96, emb)

    @torch.no_grad()
    def extract(self, x):
        """Features used by the gallery index as well."""
        return self.backbone(x)

    def forward(self, x):
        return F.normalize(self.project(self.extract(x)), dim=-1)


def triplet_batch_hard(z, y, margin=0.3):
    d = torch.cdist(z, z)
    same = y[:, None] == y[None]
    far_pos = (d * same).max(1).values
    near_neg = (d + 10 * same).min(1).values
    return F.relu(far_pos - near_neg + margin).mean()


gallery = Gallery()
net = FaceNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(500):
    x, y = gallery.sample(160)
    loss = triplet_batch_hard(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (it + 1) % 100 == 0:
        net.eval()
        with torch.no_grad():
            (xa, ya), (xb, yb) = gallery.sample(600), gallery.sample(300)
            hit = (ya[torch.cdist(net(xb), net(xa)).argmin(1)] == yb).float().mean().item()
        net.train()
        print(f"iter {it + 1}: triplet {loss.item():.4f} recall@1 {hit:.3f}")
