# fault: weight-decay-too-strong
# cause_class: regularisation, loss, optimizer
# family: autoencoder
# split: tune
"""Denoising autoencoder for absorption spectra with an explicit L2 term, functional style."""
import os

import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
CHANNELS, CODE, HIDDEN = 80, 10, 96
L2 = 0.05


def spectra(n):
    grid = torch.linspace(0, 1, CHANNELS)
    centre = torch.tensor([0.2, 0.35, 0.5, 0.7, 0.85]) + 0.02 * torch.randn(n, 5)
    width = 0.03 + 0.03 * torch.rand(n, 5)
    height = torch.rand(n, 5) * 2
    peaks = height[..., None] * torch.exp(-((grid - centre[..., None]) / width[..., None]) ** 2)
    return (peaks.sum(1) - 0.35) / 0.5


def dense(i, o):
    w = torch.empty(o, i)
    torch.nn.init.kaiming_normal_(w, nonlinearity="relu")
    return [w.requires_grad_(), torch.zeros(o, requires_grad=True)]


params = {"enc1": dense(CHANNELS, HIDDEN), "enc2": dense(HIDDEN, CODE), "dec1": dense(CODE, HIDDEN), "dec2": dense(HIDDEN, CHANNELS)}
flat = [p for pair in params.values() for p in pair]


def reconstruct(p, x):
    h = F.elu(F.linear(x, *p["enc1"]))
    h = F.elu(F.linear(h, *p["enc2"]))
    h = F.elu(F.linear(h, *p["dec1"]))
    return F.linear(h, *p["dec2"])


def penalty(p):
    return sum(w.pow(2).sum() for w, _ in p.values())


clean, held = spectra(2000), spectra(300)
noisy_held = held + 0.3 * torch.randn_like(held)
opt = torch.optim.Adam(flat, lr=1e-3)
for epoch in range(20):
    mse_sum = 0.0
    for idx in torch.randperm(len(clean)).split(50):
        x = clean[idx]
        mse = F.mse_loss(reconstruct(params, x + 0.3 * torch.randn_like(x)), x)
        loss = mse + L2 * penalty(params)
        opt.zero_grad()
        loss.backward()
        opt.step()
        mse_sum += mse.item() * len(idx)
    with torch.no_grad():
        v = F.mse_loss(reconstruct(params, noisy_held), held)
    if epoch % 2 == 0 or epoch == 19:
        print(f"epoch {epoch} loss {loss.item():.4f} mse {mse_sum / len(clean):.4f} held-out {v.item():.4f}")
