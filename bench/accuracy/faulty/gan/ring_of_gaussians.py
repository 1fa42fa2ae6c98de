# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: gan
# split: tune
import os, math
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def real_batch(n):
    a = torch.randint(0, 8, (n,)).float() * (2 * math.pi / 8)
    return torch.stack([a.cos(), a.sin()], 1) * 1.5 + 0.08 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
bce = nn.BCEWithLogitsLoss()
optG = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)

for step in range(1, 1001):
    # --- discriminator: real -> 1, fake -> 0
    real = real_batch(64)
    fake = G(torch.randn(64, 8))
    lossD_real = bce(D(real), ones)
    lossD_fake = bce(D(fake.detach()), zeros)
    lossD = lossD_real + lossD_fake
    lossD.backward()
    optD.step()

    # --- generator
    optG.zero_grad()
    fake = G(torch.randn(64, 8))
    lossG = bce(D(fake), ones)
    lossG.backward()
    optG.step()

    if step % 100 == 0:
        with torch.no_grad():
            s = G(torch.randn(512, 8))
            a = torch.arange(8).float() * (2 * math.pi / 8)
            modes = torch.stack([a.cos(), a.sin()], 1) * 1.5
            dist = torch.cdist(s, modes).min(1)
            good = dist.values < 0.3
            covered = dist.indices[good].unique().numel()
        print(f"step {step} D {lossD.item():.3f} G {lossG.item():.3f} good samples {good.float().mean():.2f} modes {covered}")
