# fault: none
# family: metric
# split: held
"""Embedding of spare parts: P x K batches, batch-hard triplets with a margin; many triplets become easy."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
PARTS, FEATURES = 130, 30
TEMPLATE = torch.randn(PARTS, FEATURES)


class PKSampler:
    def __init__(self, classes, p, k):
        self.classes, self.p, self.k = classes, p, k

    def __call__(self):
        label = self.classes[torch.randperm(len(self.classes))[:self.p]].repeat_interleave(self.k)
        return TEMPLATE[label] + 0.7 * torch.randn(len(label), FEATURES), label


class BatchHardTriplet(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, e, label):
        d = torch.cdist(e, e)
        same = label[:, None] == label[None]
        eye = torch.eye(len(e), dtype=torch.bool)
        hardest_pos = d.masked_fill(~same | eye, -1).max(1).values
        hardest_neg = d.masked_fill(same, 1e4).min(1).values
        hinge = F.relu(hardest_pos - hardest_neg + self.margin)
        return hinge.mean(), (hinge > 0).float().mean()


class Embedder(nn.Module):
    def __init__(self, out=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


@torch.no_grad()
def one_shot(model, classes):
    """nearest neighbour among one gallery shot of every new part"""
    model.eval()
    g = model(TEMPLATE[classes] + 0.7 * torch.randn(len(classes), FEATURES))
    label = classes.repeat(20)
    q = model(TEMPLATE[label] + 0.7 * torch.randn(len(label), FEATURES))
    model.train()
    return (classes[torch.cdist(q, g).argmin(1)] == label).float().mean().item()


train_classes, new_classes = torch.arange(110), torch.arange(110, 130)
model, criterion, sampler = Embedder(), BatchHardTriplet(0.3), PKSampler(train_classes, 16, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(601):
    loss, active = criterion(*(lambda x, y: (model(x), y))(*sampler()))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f} active {active.item():.2f} one-shot acc on new parts {one_shot(model, new_classes):.3f}")
