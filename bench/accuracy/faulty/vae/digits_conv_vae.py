# fault: output-range
# cause_class: output-activation, data-scaling
# family: vae
# split: tune
import os

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return (x - self.mean) / self.std


class Digits(Dataset):
    def __init__(self, train=True, transform=None):
        img = torch.tensor(load_digits().images, dtype=torch.float32).unsqueeze(1) / 16.0
        self.img = img[:1500] if train else img[1500:]
        self.transform = transform

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        x = self.img[i]
        return self.transform(x) if self.transform else x


class VAE(nn.Module):
    def __init__(self, latent=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Flatten())
        self.mu, self.logvar = nn.Linear(128, latent), nn.Linear(128, latent)
        self.up = nn.Linear(latent, 128)
        self.dec = nn.Sequential(nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Sigmoid())

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.dec(F.relu(self.up(z)).view(-1, 32, 2, 2)), mu, logvar


def loss_function(recon, x, mu, logvar):
    rec = F.mse_loss(recon, x, reduction="sum") / x.size(0)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / x.size(0)
    return rec + 0.1 * kld, rec, kld


tf = Normalize(0.5, 0.5)
train_loader = DataLoader(Digits(True, tf), batch_size=64, shuffle=True)
test_loader = DataLoader(Digits(False, tf), batch_size=297)
model = VAE()
optimizer = optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(1, 16):
    model.train()
    total = 0
    for x in train_loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(x)
        loss, rec, kld = loss_function(recon, x, mu, logvar)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    model.eval()
    with torch.no_grad():
        x = next(iter(test_loader))
        recon, mu, logvar = model(x)
        tl, tr, tk = loss_function(recon, x, mu, logvar)
    print(f"====> Epoch {epoch} train {total / 1500:.3f} test {tl:.3f} (rec {tr:.3f} kl {tk:.3f}) "
          f"var of data {64 * x.var():.2f}")
