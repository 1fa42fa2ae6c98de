# fault: no-gradient
# cause_class: not-updated, structure
# family: autoencoder
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def shapes(n):
    proto = torch.randn(16, 20, generator=torch.Generator().manual_seed(3)) * 1.2
    k = torch.randint(0, 16, (n,))
    return proto[k] + 0.25 * torch.randn(n, 20)


class CategoricalAE(nn.Module):
    """Two categorical latents of eight values each."""

    def __init__(self, d=20, latents=2, values=8, tau=1.0):
        super().__init__()
        self.latents, self.values, self.tau = latents, values, tau
        self.encoder = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, latents * values))
        self.decoder = nn.Sequential(nn.Linear(latents * values, 64), nn.ReLU(), nn.Linear(64, d))

    def quantise(self, logits):
        soft = F.softmax(logits / self.tau, dim=-1)
        index = soft.argmax(-1)
        return F.one_hot(index, self.values).to(soft.dtype)

    def forward(self, x):
        logits = self.encoder(x).view(-1, self.latents, self.values)
        return self.decoder(self.quantise(logits).flatten(1))


data, test = shapes(2000), shapes(400)
model = CategoricalAE()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(900):
    b = data[torch.randint(0, len(data), (64,))]
    loss = F.mse_loss(model(b), b)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 150 == 149:
        with torch.no_grad():
            print(f"step {step + 1} mse {loss.item():.4f} test {F.mse_loss(model(test), test).item():.4f} variance {test.var().item():.3f}")
