# fault: none
# family: multilabel
# split: tune
import os
from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class Args:
    seed: int = int(os.environ.get("SEED", "0"))
    lr: float = 2e-3
    epochs: int = 10
    batch: int = 50
    patience: int = 3


class Runner:
    def __init__(self, args):
        torch.manual_seed(args.seed)
        self.a = args
        w = torch.randn(30, 8) / 30 ** 0.5
        x = torch.randn(2500, 30)
        self.x, self.y = x, (x @ w + 0.2 * torch.randn(2500, 8) > 0.8).float()
        self.net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 8))
        rate = self.y[:2000].mean(0)
        self.crit = nn.BCEWithLogitsLoss(pos_weight=(1 - rate) / rate)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=args.lr)
        self.plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(self.opt, patience=1, factor=0.5)

    def fit(self):
        best, bad = float("inf"), 0
        for e in range(self.a.epochs):
            tot = 0.0
            for b in torch.randperm(2000).split(self.a.batch):
                self.opt.zero_grad()
                loss = self.crit(self.net(self.x[b]), self.y[b])
                loss.backward()
                self.opt.step()
                tot += loss.item()
            with torch.no_grad():
                v = self.crit(self.net(self.x[2000:]), self.y[2000:]).item()
            self.plateau.step(v)
            print(f"{e} train {tot / 40:.4f} val {v:.4f}")
            best, bad = (v, 0) if v < best else (best, bad + 1)
            if bad >= self.a.patience:
                break


Runner(Args()).fit()
