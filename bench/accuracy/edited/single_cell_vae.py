# fault: none
# family: generative
# split: held
# set: okapi, unseen
"""VAE for single-cell expression: gene programs -> log-normalised counts -> latent space."""
import os

import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F


def set_seed():
    s = int(os.getenv("SEED", "0"))
    np.random.seed(s)
    torch.manual_seed(s)
    return s


def simulate(n_cells=1400, n_genes=60, n_types=8):
    """cell types with a continuous activity inside each type"""
    programs = np.random.gamma(0.6, 1.6, (n_types, n_genes))
    shift = np.random.gamma(0.5, 1.0, (2, n_genes))
    cell_type = np.random.randint(0, n_types, n_cells)
    act = np.random.rand(n_cells, 2)
    rate = programs[cell_type] + act @ shift + 0.05
    depth = np.random.lognormal(1.0, 0.3, (n_cells, 1))
    counts = np.random.poisson(rate * depth)
    norm = counts / np.maximum(counts.sum(1, keepdims=True), 1) * 100.0
    return np.log1p(norm).astype(np.float32), cell_type


class Encoder(nn.Module):
    def __init__(self, genes, hidden, latent):
        super().__init__()
        self.fc = nn.Linear(genes, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)

    def forward(self, x):
        h = F.leaky_relu(self.norm(self.fc(x)), 0.1)
        return self.mu(h), self.logvar(h)


class Decoder(nn.Module):
    def __init__(self, genes, hidden, latent):
        super().__init__()
        self.fc1 = nn.Linear(latent, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, genes)

    def forward(self, z):
        h = F.relu(self.fc1(z))
        h = F.relu(self.fc2(h))
        return self.out(h)


class VAE(nn.Module):
    def __init__(self, genes, hidden=64, latent=6):
        super().__init__()
        self.encoder = Encoder(genes, hidden, latent)
        self.decoder = Decoder(genes, hidden, latent)

    def sample(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = self.sample(mu, logvar)
        return self.decoder(z), mu, logvar


def elbo_loss(recon, x, mu, logvar, beta):
    rec = F.mse_loss(recon, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec + beta * kl, rec, kl


def explained_variance(model, x):
    """share of the variance of held-out cells that the mean latent explains"""
    model.eval()
    with torch.no_grad():
        mu, _ = model.encoder(x)
        rec = model.decoder(mu)
    return 1 - ((rec - x) ** 2).sum().item() / ((x - x.mean(0)) ** 2).sum().item()


def main():
    set_seed()
    X, _ = simulate()
    mean, std = X.mean(0), X.std(0) + 1e-3
    X = torch.from_numpy((X - mean) / std)
    train, held = X[:1100], X[1100:]

    model = VAE(X.shape[1])
    opt = optim.Adam(model.parameters(), lr=2e-3)
    epochs, bs = 40, 64
    for epoch in range(epochs):
        model.train()
        beta = min(1.0, epoch / 10)
        perm = torch.randperm(len(train))
        s_rec = s_kl = 0.0
        for i in range(0, len(train), bs):
            xb = train[perm[i:i + bs]]
            recon, mu, logvar = model(xb)
            loss, rec, kl = elbo_loss(recon, xb, mu, logvar, beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            s_rec += rec.item() * len(xb)
            s_kl += kl.item() * len(xb)
        if epoch % 8 == 7:
            print(f"epoch {epoch + 1:3d} rec {s_rec / len(train):8.3f} kl {s_kl / len(train):7.3f} EV {explained_variance(model, held):.3f}")
    print(f"METRIC explained_variance {explained_variance(model, held):.4f}")


if __name__ == "__main__":
    main()
