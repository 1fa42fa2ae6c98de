# fault: frozen-by-mistake
# cause_class: not-updated, structure, optimizer
# family: vision
# split: tune
# set: kvist, unseen
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def textures(n):
    y = torch.randint(0, 5, (n,))
    yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    ang = y.float()[:, None, None] * torch.pi / 5
    ph = torch.rand(n, 1, 1) * 6.28
    img = torch.sin(1.4 * (xx * ang.cos() + yy * ang.sin()) + ph) + 1.6 * torch.randn(n, 16, 16)
    return img.unsqueeze(1) / 1.8, y


class Stage(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(), nn.MaxPool2d(2))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage1, self.stage2, self.stage3 = Stage(1, 8), Stage(8, 16), Stage(16, 32)
        self.fc = nn.Linear(32, 5)

    def forward(self, x):
        return self.fc(self.stage3(self.stage2(self.stage1(x))).mean((2, 3)))


class Unfreezer:
    """Starts with head and last stage; opens the other stages one after the other."""

    PLAN = {1: "stage-2", 2: "stage-1"}

    def __init__(self, model):
        self.model = model
        for n, p in model.named_parameters():
            p.requires_grad_(n.startswith(("fc", "stage3")))

    def epoch_start(self, epoch):
        name = self.PLAN.get(epoch)
        if name is None:
            return
        for n, p in self.model.named_parameters():
            if n.split(".")[0] == name:
                p.requires_grad_(True)


x, y = textures(1600)
vx, vy = textures(300)
model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
hook = Unfreezer(model)
for epoch in range(8):
    hook.epoch_start(epoch)
    tot = 0.0
    for b in torch.randperm(1600).split(40):
        loss = F.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 40
    with torch.no_grad():
        print(f"epoch {epoch} loss {tot:.4f} val acc {(model(vx).argmax(1) == vy).float().mean().item():.3f}")
