# fault: none
# family: gan
# split: tune
# DCGAN on small pictures of discs: both losses move about and neither goes to zero.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

Z = 16


def real(n):
    g = torch.linspace(-1, 1, 12)
    c = 0.6 * torch.rand(n, 2, 1, 1) - 0.3
    r = 0.3 + 0.3 * torch.rand(n, 1, 1)
    d = ((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None, :] - c[:, 1]) ** 2).sqrt()
    return torch.tanh((r - d) * 8).unsqueeze(1)


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.05)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


G = nn.Sequential(
    nn.ConvTranspose2d(Z, 24, 3, 1, 0, bias=False), nn.BatchNorm2d(24), nn.ReLU(True),
    nn.ConvTranspose2d(24, 12, 4, 2, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(True),
    nn.ConvTranspose2d(12, 1, 4, 2, 1, bias=False), nn.Tanh(),
)
D = nn.Sequential(
    nn.Conv2d(1, 12, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True),
    nn.Conv2d(12, 24, 4, 2, 1, bias=False), nn.BatchNorm2d(24), nn.LeakyReLU(0.2, True),
    nn.Conv2d(24, 1, 3, 1, 0, bias=False), nn.Flatten(),
)
G.apply(weights_init)
D.apply(weights_init)
opt_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.full((32, 1), 0.9), torch.zeros(32, 1)
mean_err = []
for step in range(180):
    x = real(32)
    fake = G(torch.randn(32, Z, 1, 1))
    opt_d.zero_grad()
    loss_d = bce(D(x), ones) + bce(D(fake.detach()), zeros)
    loss_d.backward()
    opt_d.step()

    opt_g.zero_grad()
    loss_g = bce(D(fake), torch.ones(32, 1))
    loss_g.backward()
    opt_g.step()
    mean_err.append((fake.mean(0) - x.mean(0)).abs().mean().item())
    if step == 0:
        first = loss_d.item()
    if step % 30 == 0:
        print(f"[{step}] D {loss_d.item():.3f} G {loss_g.item():.3f}")
print(f"distance of the mean picture: first {mean_err[0]:.3f} last {sum(mean_err[-20:]) / 20:.3f}")
print(f"loss first {first:.4f} last {loss_d.item():.4f}")
