# fault: eval-in-train-mode
# cause_class: eval-mode
# family: mlp
# split: tune
"""Concentric rings with strong dropout; best epoch is kept by validation accuracy."""
import copy
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def rings(n):
    y = torch.randint(0, 3, (n,))
    r = y + 1 + 0.15 * torch.randn(n)
    a = torch.rand(n) * 6.283
    return torch.stack([r * a.cos(), r * a.sin()], 1) / 2, y


class Trainer:
    def __init__(self, model, train, val, lr=3e-3):
        self.model, self.train_data, self.val_data = model, train, val
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.loss = nn.CrossEntropyLoss()
        self.best, self.best_state = 0.0, None

    def run_epoch(self):
        self.model.train()
        x, y = self.train_data
        tot = 0
        for idx in torch.randperm(len(x)).split(50):
            self.opt.zero_grad()
            l = self.loss(self.model(x[idx]), y[idx])
            l.backward()
            self.opt.step()
            tot += l.item() * len(idx)
        return tot / len(x)

    @torch.no_grad()
    def validate(self):
        x, y = self.val_data
        out = self.model(x)
        return self.loss(out, y).item(), (out.argmax(1) == y).float().mean().item()

    def fit(self, epochs):
        for e in range(epochs):
            tl = self.run_epoch()
            vl, acc = self.validate()
            if acc > self.best:
                self.best, self.best_state = acc, copy.deepcopy(self.model.state_dict())
            if e % 4 == 3:
                print(f"epoch {e + 1} train {tl:.3f} val {vl:.3f} acc {acc:.3f}")


model = nn.Sequential(nn.Linear(2, 96), nn.ReLU(), nn.Dropout(0.5), nn.Linear(96, 96), nn.ReLU(), nn.Dropout(0.5),
                      nn.Linear(96, 3))
Trainer(model, rings(1000), rings(300)).fit(24)
