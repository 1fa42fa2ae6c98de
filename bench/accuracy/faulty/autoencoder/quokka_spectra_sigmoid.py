# fault: output-range
# cause_class: output-activation, data-scaling
# family: autoencoder
# split: tune
# needs: numpy
import os
import numpy as np
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed)
torch.manual_seed(seed)


class StandardScaler:
    def fit(self, x):
        self.m, self.s = x.mean(0, keepdims=True), x.std(0, keepdims=True) + 1e-8
        return self

    def transform(self, x):
        return (x - self.m) / self.s


def spectra(n, bands=64):
    grid = np.linspace(0, 1, bands)
    c = np.random.uniform(0.1, 0.9, (n, 3, 1))
    a = np.random.uniform(0.3, 1.0, (n, 3, 1))
    return (a * np.exp(-((grid - c) / 0.12) ** 2)).sum(1) + 0.02 * np.random.randn(n, bands)


class ConvAE(nn.Module):
    def __init__(self, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(1, 8, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv1d(8, 16, 5, stride=2, padding=2), nn.ReLU(),
            nn.Flatten(), nn.Linear(16 * 16, latent))
        self.decoder = nn.Sequential(
            nn.Linear(latent, 64), nn.ReLU(), nn.Linear(64, 64), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x.unsqueeze(1)))


raw = spectra(2400)
scaler = StandardScaler().fit(raw[:2000])
data = torch.from_numpy(scaler.transform(raw)).float()
train, held = data[:2000], data[2000:]
model = ConvAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(14):
    model.train()
    losses = []
    for idx in torch.randperm(len(train)).split(50):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(train[idx]), train[idx])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(held), held).item()
    print(f"epoch {epoch} rec {np.mean(losses):.4f} held out {v:.4f}")
