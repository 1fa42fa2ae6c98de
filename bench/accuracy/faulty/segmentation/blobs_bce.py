# fault: logits-as-probabilities
# cause_class: output-activation, loss
# family: segmentation
# split: tune
"""Tiny encoder-decoder that finds bright discs in noise."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def batch(n, s=24):
    yy, xx = torch.meshgrid(torch.arange(s), torch.arange(s), indexing="ij")
    c = torch.randint(5, s - 5, (n, 2, 1, 1))
    r = torch.randint(3, 7, (n, 1, 1))
    mask = (((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2) < r ** 2).float().unsqueeze(1)
    return mask + 0.5 * torch.randn(n, 1, s, s), mask


def bce(p, t, eps=1e-6):
    p = p.clamp(eps, 1 - eps)
    return -(t * p.log() + (1 - t) * (1 - p).log()).mean()


net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(),
    nn.Conv2d(12, 12, 3, padding=1, stride=2), nn.ReLU(),
    nn.ConvTranspose2d(12, 12, 2, stride=2), nn.ReLU(),
    nn.Conv2d(12, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for i in range(120):
    img, mask = batch(16)
    loss = bce(net(img), mask)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if i % 20 == 0:
        print(i, "loss", float(loss))
