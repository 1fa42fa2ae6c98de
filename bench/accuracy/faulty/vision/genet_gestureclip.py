# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: vision
# split: tune
"""Gesture direction from tiny IR clips (8 frames, 12x12).  CNN per frame, GRU over time."""
import os, random, time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Cfg:
    frames: int = 8
    side: int = 12
    n_train: int = 1200
    n_val: int = 300
    batch: int = 40
    epochs: int = 5
    lr: float = 4e-3
    feat: int = 32
    hidden: int = 48


DIRS = {0: (0, 1), 1: (0, -1), 2: (1, 0), 3: (-1, 0)}      # right, left, down, up


def render(n, cfg, rng):
    clips = rng.normal(0, 0.1, size=(n, cfg.frames, 1, cfg.side, cfg.side)).astype(np.float32)
    labels = rng.integers(0, 4, size=n)
    for i in range(n):
        dy, dx = DIRS[int(labels[i])]
        y, x = rng.integers(2, cfg.side - 2, size=2)
        for t in range(cfg.frames):
            yy, xx = np.clip(y + dy * (t - 4), 0, cfg.side - 1), np.clip(x + dx * (t - 4), 0, cfg.side - 1)
            clips[i, t, 0, yy, xx] += 2.5
            clips[i, t, 0, (yy + 1) % cfg.side, xx] += 1.5
            clips[i, t, 0, yy, (xx + 1) % cfg.side] += 1.5
    return torch.from_numpy(clips), torch.from_numpy(labels)


class ClipNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.frame = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(8 * 36, cfg.feat), nn.ReLU())
        self.rnn = nn.GRU(cfg.feat, cfg.hidden)
        self.cls = nn.Linear(cfg.hidden, 4)

    def forward(self, clip):
        b, t = clip.shape[:2]
        f = self.frame(clip.flatten(0, 1))
        f = f.view(t, b, -1)         # GRU wants time first
        _, h = self.rnn(f)
        return self.cls(h[-1])


def main():
    cfg = Cfg()
    seed = int(os.environ.get("SEED", 0))
    random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    tr = DataLoader(TensorDataset(*render(cfg.n_train, cfg, rng)), batch_size=cfg.batch, shuffle=True)
    va = DataLoader(TensorDataset(*render(cfg.n_val, cfg, rng)), batch_size=60)
    net = ClipNet(cfg)
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=cfg.lr * 2, total_steps=cfg.epochs * len(tr))
    ce = nn.CrossEntropyLoss()
    for ep in range(cfg.epochs):
        net.train()
        tot = n = 0
        t0 = time.time()
        for clip, lab in tr:
            loss = ce(net(clip), lab)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            sched.step()
            tot += loss.item() * len(lab); n += len(lab)
        net.eval()
        with torch.no_grad():
            hit = sum((net(c).argmax(1) == l).sum().item() for c, l in va)
        print(f"ep {ep}  train {tot / n:.3f}  val acc {hit / cfg.n_val:.3f}  ({time.time() - t0:.1f}s)")


if __name__ == "__main__":
    main()
