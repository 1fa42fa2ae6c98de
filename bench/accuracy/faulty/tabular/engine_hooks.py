# fault: zero-grad-before-step
# cause_class: zero-grad, not-updated, optimizer
# family: tabular
# split: held
"""Churn model on a small event-driven engine."""
import os
from collections import defaultdict

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Engine:
    EVENTS = ("epoch_started", "forward_done", "backward_done", "iteration_completed", "epoch_completed")

    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.handlers = defaultdict(list)
        self.state = {"epoch": 0, "iteration": 0, "losses": []}

    def on(self, event):
        assert event in self.EVENTS
        def register(fn):
            self.handlers[event].append(fn)
            return fn
        return register

    def fire(self, event):
        for fn in self.handlers[event]:
            fn(self)

    def run(self, loader, epochs):
        for epoch in range(epochs):
            self.state.update(epoch=epoch, losses=[])
            self.model.train()
            self.fire("epoch_started")
            for x, y in loader:
                self.loss = self.criterion(self.model(x), y)
                self.fire("forward_done")
                self.loss.backward()
                self.fire("backward_done")
                self.optimizer.step()
                self.state["iteration"] += 1
                self.state["losses"].append(self.loss.item())
                self.fire("iteration_completed")
            self.fire("epoch_completed")


def table(n, coef):
    x = torch.randn(n, 16)
    logit = x @ coef + 1.5 * x[:, 0] * x[:, 1]
    return TensorDataset(x, torch.bernoulli(torch.sigmoid(2 * logit)))


class ChurnNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(),
                         nn.Linear(32, 1), nn.Flatten(0))


coef = torch.randn(16) / 2
train, valid = table(5000, coef), table(1000, coef)
model = ChurnNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
engine = Engine(model, optimizer, nn.BCEWithLogitsLoss())


@engine.on("backward_done")
def clip(e):
    nn.utils.clip_grad_norm_(e.model.parameters(), 5.0)


@engine.on("backward_done")
def reset(e):
    e.optimizer.zero_grad(set_to_none=False)


@engine.on("epoch_completed")
def validate(e):
    e.model.eval()
    with torch.no_grad():
        x, y = valid.tensors
        acc = ((e.model(x) > 0) == (y > 0.5)).float().mean()
    losses = e.state["losses"]
    print(f"epoch {e.state['epoch']} loss {sum(losses) / len(losses):.4f} valid acc {acc:.3f}")


engine.run(DataLoader(train, batch_size=64, shuffle=True), epochs=5)
