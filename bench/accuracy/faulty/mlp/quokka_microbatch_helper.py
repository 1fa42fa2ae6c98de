# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: mlp
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Engine:
    """Runs callbacks around the steps; the accumulation lives in the step."""

    def __init__(self, model, opt, accumulate=1):
        self.model, self.opt, self.accumulate = model, opt, accumulate
        self.hooks = {"epoch_start": [], "step_end": [], "epoch_end": []}
        self.step_no = 0

    def on(self, event):
        def add(fn):
            self.hooks[event].append(fn)
            return fn
        return add

    def fire(self, event):
        for fn in self.hooks[event]:
            fn(self)

    def train_step(self, x, y):
        out = self.model(x)
        loss = nn.functional.cross_entropy(out, y) / self.accumulate
        loss.backward()
        self.step_no += 1
        if self.step_no % self.accumulate == 0:
            self.opt.step()
        self.last = loss.item()
        self.fire("step_end")

    def run(self, x, y, epochs, bs):
        for self.epoch in range(epochs):
            self.losses = []
            self.fire("epoch_start")
            for b in torch.randperm(len(x)).split(bs):
                self.train_step(x[b], y[b])
            self.fire("epoch_end")


def moons(n, classes=4):
    y = torch.randint(0, classes, (n,))
    r = torch.rand(n)
    t = 2.5 * r + y * 2 * torch.pi / classes
    return torch.stack([2 * r * t.cos(), 2 * r * t.sin()], 1) + 0.08 * torch.randn(n, 2), y


x, y = moons(2000)
xv, yv = moons(400)
model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
engine = Engine(model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))


@engine.on("epoch_start")
def reset(e):
    e.opt.zero_grad()
    e.model.train()


@engine.on("step_end")
def remember(e):
    e.losses.append(e.last)


@engine.on("epoch_end")
def report(e):
    e.model.eval()
    with torch.no_grad():
        acc = (e.model(xv).argmax(1) == yv).float().mean()
    print(f"epoch {e.epoch} loss {sum(e.losses) / len(e.losses):.4f} acc {acc:.3f}")


engine.run(x, y, epochs=20, bs=25)
