# fault: none
# family: contrastive
# split: held
# set: dingo, unseen
"""Metric learning on small "spectrogram" patches: SimCLR-style pairs, kNN on the embeddings for validation.

Two crops/noisings of one recording form a positive pair, the others of the batch are the negatives."""
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Settings:
    seed: int = int(os.environ.get("SEED", 0))
    n_species: int = 8
    n_train: int = 640
    n_test: int = 320
    size: int = 12
    embed: int = 24
    batch: int = 64
    epochs: int = 14
    lr: float = 3e-3
    temperature: float = 0.2
    noise: float = 0.45


class Recordings:
    """Every species has its own two chirps (start, slope, width); loudness and background change per recording."""

    def __init__(self, cfg: Settings):
        self.cfg = cfg
        g = torch.Generator().manual_seed(cfg.seed)
        self.start = torch.rand(cfg.n_species, 2, generator=g) * (cfg.size - 4) + 2
        self.slope = (torch.rand(cfg.n_species, 2, generator=g) - 0.5) * 1.2
        self.g = g

    def sample(self, n):
        s, g = self.cfg.size, self.g
        label = torch.randint(0, self.cfg.n_species, (n,), generator=g)
        t = torch.arange(s).float()
        f = torch.arange(s).float()
        patch = torch.zeros(n, s, s)
        for k in range(2):
            centre = self.start[label, k][:, None] + self.slope[label, k][:, None] * (t - s / 2)
            patch += torch.exp(-((f[None, :, None] - centre[:, None, :]) ** 2) / 1.0)
        loud = 0.6 + 0.8 * torch.rand(n, 1, 1, generator=g)
        hum = torch.zeros(n, s, s)
        hum[torch.arange(n), torch.randint(0, s, (n,), generator=g)] = 1.0
        patch = loud * patch + 1.5 * hum + 0.6 * torch.randn(n, s, s, generator=g)
        return patch[:, None], label


def augment(patch, cfg):
    """Random loudness, a shift in time, a masked frequency band, noise."""
    n, s = patch.shape[0], cfg.size
    out = patch * (0.7 + 0.6 * torch.rand(n, 1, 1, 1))
    out = torch.roll(out, int(torch.randint(-1, 2, (1,))), dims=3)
    band = torch.randint(0, s - 2, (n,))
    rows = torch.arange(s)[None, :]
    keep = (rows < band[:, None]) | (rows >= band[:, None] + 2)
    out = out * keep[:, None, :, None]
    return out + cfg.noise * torch.randn_like(out)


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.fc = nn.Linear(32 * (cfg.size // 2) ** 2, 64)
        self.project = nn.Linear(64, cfg.embed)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = F.relu(self.fc(x.flatten(1)))
        return F.normalize(self.project(x), dim=1)


def nt_xent(za, zb, temperature):
    n = len(za)
    z = torch.cat([za, zb])
    sim = z @ z.T / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])
    return F.cross_entropy(sim, target)


@torch.no_grad()
def knn_accuracy(net, bank, bank_labels, query, query_labels, k=5):
    net.eval()
    sim = net(query) @ net(bank).T
    votes = bank_labels[sim.topk(k, dim=1).indices]
    return (votes.mode(dim=1).values == query_labels).float().mean().item()


def run():
    cfg = Settings()
    torch.manual_seed(cfg.seed)
    world = Recordings(cfg)
    train_x, train_y = world.sample(cfg.n_train)
    test_x, test_y = world.sample(cfg.n_test)

    net = Encoder(cfg)
    optimizer = torch.optim.AdamW(net.parameters(), lr=cfg.lr, weight_decay=1e-4)
    steps = cfg.epochs * (cfg.n_train // cfg.batch)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)

    print(f"kNN accuracy before training {knn_accuracy(net, train_x, train_y, test_x, test_y):.4f}")
    for epoch in range(cfg.epochs):
        net.train()
        total = 0.0
        for index in torch.randperm(cfg.n_train).split(cfg.batch):
            batch = train_x[index]
            za = net(augment(batch, cfg))
            zb = net(augment(batch, cfg))
            loss = nt_xent(za, zb, cfg.temperature)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        if epoch % 4 == 3:
            acc = knn_accuracy(net, train_x, train_y, test_x, test_y)
            print(f"epoch {epoch + 1:2d}  nt-xent {total / (steps / cfg.epochs):.3f}  kNN {acc:.4f}")
    print("METRIC knn_accuracy", round(knn_accuracy(net, train_x, train_y, test_x, test_y), 4))


if __name__ == "__main__":
    run()
