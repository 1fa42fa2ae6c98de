# fault: labels-shuffled
# cause_class: labels, data-loading
# family: contrastive
# split: tune
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def world(n, g):
    concept = torch.randn(n, 8, generator=g)
    mix = torch.Generator().manual_seed(99)
    a, b = torch.randn(8, 40, generator=mix), torch.randn(8, 25, generator=mix)
    image = torch.tanh(concept @ a / 2) + 0.1 * torch.randn(n, 40, generator=g)
    text = torch.tanh(concept @ b / 2) + 0.1 * torch.randn(n, 25, generator=g)
    return image, text


class Tower(nn.Module):
    def __init__(self, d_in, d=32):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d_in, 64), nn.GELU(), nn.Linear(64, d))

    def forward(self, x):
        return F.normalize(self.f(x), dim=-1)


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = Tower(40), Tower(25)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.1)))

    def forward(self, im, tx):
        return self.logit_scale.exp().clamp(max=100) * self.image(im) @ self.text(tx).t()


def clip_loss(logits):
    target = torch.arange(len(logits))
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


def main():
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    images, texts = world(2000, g)
    vi, vt = world(128, g)
    image_loader = DataLoader(TensorDataset(images), batch_size=64, shuffle=True, drop_last=True)
    text_loader = DataLoader(TensorDataset(texts), batch_size=64, shuffle=True, drop_last=True)
    model = TwoTowers()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    for epoch in range(12):
        model.train()
        run = 0.0
        for (im,), (tx,) in zip(image_loader, text_loader):
            loss = clip_loss(model(im, tx))
            opt.zero_grad()
            loss.backward()
            opt.step()
            run += loss.item()
        model.eval()
        with torch.no_grad():
            top1 = (model(vi, vt).argmax(1) == torch.arange(128)).float().mean().item()
        print(f"epoch {epoch} loss {run / len(image_loader):.4f} (log batch {math.log(64):.3f}) retrieval {top1:.3f}")


main()
