# fault: zero-grad-before-step
# cause_class: zero-grad, not-updated, optimizer
# family: engine
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Callback:
    def before_batch(self, eng): ...
    def after_loss(self, eng): ...
    def after_backward(self, eng): ...
    def after_batch(self, eng): ...
    def after_epoch(self, eng): ...


class GradHygiene(Callback):
    """Keeps gradients bounded and empties them for the next batch."""

    def __init__(self, max_norm=5.0):
        self.max_norm = max_norm

    def after_backward(self, eng):
        nn.utils.clip_grad_norm_(eng.model.parameters(), self.max_norm)
        eng.opt.zero_grad()


class Recorder(Callback):
    def __init__(self):
        self.sum = self.n = 0

    def after_loss(self, eng):
        self.sum, self.n = self.sum + eng.loss.item(), self.n + 1

    def after_epoch(self, eng):
        print(f"epoch {eng.epoch} train {self.sum / self.n:.4f} val acc {eng.evaluate():.3f}")
        self.sum = self.n = 0


class Scheduler(Callback):
    def __init__(self, opt, steps):
        self.s = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=steps)

    def after_batch(self, eng):
        self.s.step()


@dataclass
class Engine:
    model: nn.Module
    opt: torch.optim.Optimizer
    train: DataLoader
    valid: DataLoader
    callbacks: list

    def fire(self, name):
        for cb in self.callbacks:
            getattr(cb, name)(self)

    def fit(self, epochs):
        for self.epoch in range(epochs):
            self.model.train()
            for self.x, self.y in self.train:
                self.fire("before_batch")
                self.loss = nn.functional.cross_entropy(self.model(self.x), self.y)
                self.fire("after_loss")
                self.loss.backward()
                self.fire("after_backward")
                self.opt.step()
                self.fire("after_batch")
            self.fire("after_epoch")

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        hit = sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.valid)
        return hit / len(self.valid.dataset)


def bearings(n):
    """Eight spectral features of a bearing, five states of wear."""
    y = torch.randint(0, 5, (n,))
    x = 0.7 * torch.randn(n, 8)
    x[torch.arange(n), y] += 1.5
    x[torch.arange(n), (y + 3) % 8] -= 1.0
    return TensorDataset((x - x.mean(0)) / x.std(0), y)


model = nn.Sequential(nn.Linear(8, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
train = DataLoader(bearings(1600), 32, shuffle=True)
eng = Engine(model, opt, train, DataLoader(bearings(400), 200),
             [GradHygiene(), Recorder(), Scheduler(opt, 8 * len(train))])
eng.fit(8)
