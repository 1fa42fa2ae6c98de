# fault: none
# family: contrastive
# split: tune
# SimSiam: negative cosine with a stopped gradient; the loss goes to -1 without a collapse.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class SimSiam(nn.Module):
    def __init__(self, d=24, z=24):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(d, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, z), nn.BatchNorm1d(z, affine=False)
        )
        self.predictor = nn.Sequential(nn.Linear(z, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, z))

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        return self.predictor(za), self.predictor(zb), za.detach(), zb.detach()


mix = torch.randn(5, 24)
model = SimSiam()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
losses = []
for step in range(200):
    x = torch.randn(64, 5) @ mix
    view = lambda: x + 0.6 * torch.randn_like(x)
    pa, pb, za, zb = model(view(), view())
    loss = -0.5 * (F.cosine_similarity(pa, zb).mean() + F.cosine_similarity(pb, za).mean())
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print("spread of the normalised code", F.normalize(za, dim=1).std(0).mean().item())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
