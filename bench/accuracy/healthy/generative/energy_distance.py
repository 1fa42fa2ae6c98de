# fault: none
# family: generative
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def real(n):
    return torch.where(torch.rand(n) < 0.4, torch.randn(n) * 0.3 - 2, torch.randn(n) * 0.6 + 1)


def energy_distance(fake, data):
    cross = (fake - data[None, :]).abs().mean()
    within = (fake - fake.t()).abs().mean()
    return 2 * cross - within


generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
for step in range(800):
    loss = energy_distance(generator(torch.randn(128, 4)), real(128))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            z = generator(torch.randn(2000, 4))
        print(step, f"{loss.item():.4f}", f"mean {z.mean():.3f} ({real(5000).mean():.3f}) deviation {z.std():.3f} ({real(5000).std():.3f})")
