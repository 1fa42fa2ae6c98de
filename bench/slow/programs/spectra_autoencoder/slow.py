import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_spectra(n, length=256, seed=0):
    """Spectra with a few peaks on a sloping ground, and noise."""
    g = torch.Generator().manual_seed(seed)
    axis = torch.linspace(0, 1, length)
    centres = torch.linspace(0.1, 0.9, 9)
    heights = torch.rand(n, 9, generator=g) * (torch.rand(n, 9, generator=g) < 0.4)
    widths = 0.01 + 0.02 * torch.rand(n, 9, 1, generator=g)
    peaks = torch.exp(-((axis - centres[:, None]) ** 2) / (2 * widths ** 2))
    ground = torch.rand(n, 1, generator=g) * axis
    x = (heights[:, :, None] * peaks).sum(1) + 0.5 * ground
    x = x + 0.03 * torch.randn(n, length, generator=g)
    return (x - x.mean()) / x.std()


class Autoencoder(nn.Module):
    def __init__(self, length=256, code=16):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * length // 4, code),
        )
        self.decoder = nn.Sequential(nn.Linear(code, 128), nn.ReLU(), nn.Linear(128, length))

    def forward(self, x):
        return self.decoder(self.encoder(x.unsqueeze(1)))


def train_step(model, optimizer, batch):
    optimizer.zero_grad()
    loss = 0.0
    for spectrum in batch:
        rebuilt = model(spectrum.unsqueeze(0))
        loss = loss + F.mse_loss(rebuilt, spectrum.unsqueeze(0))
    loss = loss / len(batch)
    loss.backward()
    optimizer.step()
    return loss.detach()


def main():
    parser = argparse.ArgumentParser(description="Compress spectra into a short code.")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    spectra = make_spectra(4096)
    held_out = make_spectra(512, seed=1)
    model = Autoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        total = torch.zeros(())
        batches = spectra[torch.randperm(len(spectra))].split(args.batch)
        for batch in batches:
            total += train_step(model, optimizer, batch)
        with torch.no_grad():
            test = F.mse_loss(model(held_out), held_out)
        print(f"epoch {epoch}: train {total / len(batches):.4f}, held out {test:.4f}")
    print(f"finished after {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
