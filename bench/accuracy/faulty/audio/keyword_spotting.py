# fault: too-few-updates
# cause_class: epochs, learning-rate
# family: audio
# split: held
# alarm: no
import os
from dataclasses import dataclass
import math
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Config:
    n_classes: int = 6
    n_samples: int = 1800
    length: int = 400
    batch_size: int = 32
    lr: float = 3e-4
    max_steps: int = 64
    seed: int = int(os.environ.get("SEED", "0"))


def chirps(cfg):
    """Every 'word' is a pair of tones with its own sweep, plus noise."""
    g = torch.Generator().manual_seed(cfg.seed)
    t = torch.linspace(0, 1, cfg.length)
    y = torch.randint(0, cfg.n_classes, (cfg.n_samples,), generator=g)
    f0 = 8 + 5 * y.float()
    sweep = torch.where(y % 2 == 0, 6.0, -6.0)
    phase = 2 * math.pi * torch.rand(cfg.n_samples, generator=g)
    wave = torch.sin(2 * math.pi * (f0[:, None] * t + 0.5 * sweep[:, None] * t ** 2) + phase[:, None])
    wave = wave + 0.7 * torch.randn(wave.shape, generator=g)
    return wave.unsqueeze(1) / wave.std(), y


class KWS(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 25, stride=4), nn.BatchNorm1d(16), nn.ReLU(),
            nn.Conv1d(16, 32, 9, stride=2), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, 32, 5, stride=2), nn.ReLU(),
        )
        self.fc = nn.Linear(32, n_classes)

    def forward(self, x):
        return self.fc(self.conv(x).mean(-1))


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    ds = TensorDataset(*chirps(cfg))
    train, val = random_split(ds, [1500, 300])
    loader = DataLoader(train, cfg.batch_size, shuffle=True)
    model = KWS(cfg.n_classes)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    crit = nn.CrossEntropyLoss()
    step = 0
    while step < cfg.max_steps:
        for x, y in loader:
            model.train()
            opt.zero_grad()
            loss = crit(model(x), y)
            loss.backward()
            opt.step()
            step += 1
            if step % 8 == 0:
                print(f"{step:4d} {loss.item():.4f}")
            if step >= cfg.max_steps:
                break
    model.eval()
    with torch.no_grad():
        vx, vy = zip(*[val[i] for i in range(len(val))])
        out = model(torch.stack(vx))
        vy = torch.stack(vy)
        print("val loss", crit(out, vy).item(), "acc", (out.argmax(1) == vy).float().mean().item())


if __name__ == "__main__":
    main()
