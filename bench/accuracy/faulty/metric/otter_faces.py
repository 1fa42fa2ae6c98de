# fault: detached-mid-network
# cause_class: not-updated, structure
# family: metric
# split: held
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
PEOPLE = 30
ident = torch.randn(PEOPLE, 3, 8, 8)


def photos(per_batch=48):
    who = torch.randint(0, PEOPLE, (per_batch,))
    light = 1.5 * torch.randn(per_batch, 3, 1, 1)
    return 0.5 * ident[who] + light + 0.7 * torch.randn(per_batch, 3, 8, 8), who


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Flatten())

    def forward(self, x):
        return self.conv(x)


class Projector(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(256, 24)

    def forward(self, feats):
        return F.normalize(self.fc(torch.stack(feats)), dim=1)


class CosFace(nn.Module):
    def __init__(self, s=12.0, m=0.1):
        super().__init__()
        self.w, self.s, self.m = nn.Parameter(torch.randn(PEOPLE, 24)), s, m

    def forward(self, z, y):
        cos = z @ F.normalize(self.w, dim=1).T
        return F.cross_entropy(self.s * (cos - self.m * F.one_hot(y, PEOPLE)), y), cos


backbone, projector, margin = Backbone(), Projector(), CosFace()
params = [*backbone.parameters(), *projector.parameters(), *margin.parameters()]
opt = torch.optim.Adam(params, lr=2e-3)
for step in range(300):
    x, y = photos()
    bank = []
    for f in backbone(x):
        bank.append(torch.from_numpy(f.detach().numpy()))
    loss, cos = margin(projector(bank), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 0:
        print(step, f"{loss.item():.4f}", f"top1 {(cos.argmax(1) == y).float().mean():.3f}")
