# fault: weight-decay-too-strong
# cause_class: regularisation, optimizer
# family: autoencoder
# split: tune
import os
from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass
class OptimConfig:
    name: str = "sgd"
    lr: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 5e-2


@dataclass
class Config:
    seed: int = int(os.environ.get("SEED", 0))
    n_sensors: int = 24
    latent: int = 4
    hidden: int = 48
    steps: int = 800
    batch_size: int = 64
    optim: OptimConfig = field(default_factory=OptimConfig)


class SensorAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(cfg.n_sensors, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.latent))
        self.decoder = nn.Sequential(nn.Linear(cfg.latent, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.n_sensors))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def build_optimizer(model, cfg):
    if cfg.name == "sgd":
        return torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum, weight_decay=cfg.weight_decay)
    return torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)


def plant_readings(n, n_sensors, mix):
    state = torch.randn(n, 4)
    x = torch.cat([state, state[:, :2] * state[:, 2:]], 1) @ mix
    x = x + 0.1 * torch.randn(n, n_sensors)
    return x


def main(cfg):
    torch.manual_seed(cfg.seed)
    mix = torch.randn(6, cfg.n_sensors) / 2.0
    train = plant_readings(4000, cfg.n_sensors, mix)
    test = plant_readings(500, cfg.n_sensors, mix)
    mu, sd = train.mean(0), train.std(0)
    train, test = (train - mu) / sd, (test - mu) / sd
    model = SensorAE(cfg)
    opt = build_optimizer(model, cfg.optim)
    mse = nn.MSELoss()
    for step in range(1, cfg.steps + 1):
        x = train[torch.randint(0, len(train), (cfg.batch_size,))]
        loss = mse(model(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0:
            with torch.no_grad():
                t = mse(model(test), test).item()
            norm = sum(p.pow(2).sum() for p in model.parameters()).sqrt().item()
            print(f"step {step} train {loss.item():.4f} test {t:.4f} |w| {norm:.3f}")


main(Config())
