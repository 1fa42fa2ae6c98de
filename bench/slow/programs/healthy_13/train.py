"""A GAN that paints blobs of the kind of cell nuclei under a microscope."""
import time

import torch
import torch.nn as nn

torch.manual_seed(66)
Z, BATCH, ITERATIONS = 48, 48, 220


def nuclei(n, size=32):
    r = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(r, r, indexing="ij")
    cy, cx = 0.3 * torch.randn(2, n, 1, 1)
    a, b = 0.25 + 0.25 * torch.rand(2, n, 1, 1)
    body = torch.sigmoid(10 * (1 - ((xx - cx) / a) ** 2 - ((yy - cy) / b) ** 2))
    return (2 * body * (0.8 + 0.2 * torch.rand(n, size, size)) - 1).unsqueeze(1).clamp(-1, 1)


G = nn.Sequential(
    nn.Linear(Z, 128 * 16), nn.Unflatten(1, (128, 4, 4)), nn.BatchNorm2d(128), nn.ReLU(),
    nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.ReLU(),
    nn.ConvTranspose2d(64, 48, 4, 2, 1), nn.BatchNorm2d(48), nn.ReLU(),
    nn.ConvTranspose2d(48, 1, 4, 2, 1), nn.Tanh(),
)
D = nn.Sequential(
    nn.Conv2d(1, 48, 4, 2, 1), nn.LeakyReLU(0.2),
    nn.Conv2d(48, 64, 4, 2, 1), nn.LeakyReLU(0.2),
    nn.Conv2d(64, 128, 4, 2, 1), nn.LeakyReLU(0.2),
    nn.Flatten(), nn.Linear(128 * 16, 1),
)
g_opt = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
d_opt = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
real_pictures = nuclei(3000)
ones, zeros = torch.ones(BATCH, 1), torch.zeros(BATCH, 1)
start = time.time()
for it in range(1, ITERATIONS + 1):
    real = real_pictures[torch.randint(len(real_pictures), (BATCH,))]
    fake = G(torch.randn(BATCH, Z))
    d_loss = bce(D(real), ones * 0.9) + bce(D(fake.detach()), zeros)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()

    g_loss = bce(D(fake), ones)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    if it % 20 == 0:
        print(f"{it:4d} D {d_loss.item():.3f} G {g_loss.item():.3f} {time.time() - start:.1f} s")
