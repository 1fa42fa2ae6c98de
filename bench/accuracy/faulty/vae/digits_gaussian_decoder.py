# fault: not-finite
# cause_class: non-finite, loss, data-loading
# family: vae
# split: tune
# needs: numpy, sklearn
"""VAE on the 8x8 digits with a Gaussian likelihood whose variance is predicted per pixel."""
import os
import numpy as np
import torch
from torch import nn
from sklearn.datasets import load_digits

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
np.random.seed(SEED)

images = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
perm = torch.randperm(len(images))
train_x, test_x = images[perm[:1500]], images[perm[1500:]]


class GaussianVAE(nn.Module):
    def __init__(self, dim=64, hidden=96, latent=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, dim)
        self.var = nn.Sequential(nn.Linear(hidden, dim), nn.ReLU())   # variances are not negative

    def forward(self, x):
        h = self.body(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        d = self.dec(z)
        return self.mean(d), self.var(d), mu, logvar


def elbo(x, mean, var, mu, logvar):
    nll = 0.5 * (torch.log(var) + (x - mean) ** 2 / var)
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp())
    return nll.sum(1).mean() + kl.sum(1).mean()


model = GaussianVAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = torch.utils.data.DataLoader(train_x, batch_size=64, shuffle=True)
for epoch in range(12):
    model.train()
    total = 0.0
    for x in loader:
        opt.zero_grad()
        loss = elbo(x, *model(x))
        loss.backward()
        opt.step()
        total += loss.item() * len(x)
    model.eval()
    with torch.no_grad():
        test = elbo(test_x, *model(test_x)).item()
    print(f"epoch {epoch}: train {total / len(train_x):.3f} test {test:.3f}")
