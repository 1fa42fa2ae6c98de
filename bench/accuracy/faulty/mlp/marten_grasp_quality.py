# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: mlp
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = {
    "seed": int(os.environ.get("SEED", 0)),
    "data": {"train": 2000, "test": 500, "features": 20},
    "model": {"widths": [64, 64], "classes": 3},
    "optim": {"name": "SGD", "lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4},
    "stability": {"grad_clip": 1e-4},
    "epochs": 10, "batch": 40,
}


class Callback:
    def after_backward(self, trainer): ...
    def after_epoch(self, trainer, epoch): ...


class GradClip(Callback):
    def __init__(self, limit):
        self.limit = limit

    def after_backward(self, trainer):
        nn.utils.clip_grad_norm_(trainer.model.parameters(), self.limit)


class Report(Callback):
    def after_epoch(self, trainer, epoch):
        trainer.model.eval()
        with torch.no_grad():
            out = trainer.model(trainer.test[0])
        trainer.model.train()
        acc = (out.argmax(1) == trainer.test[1]).float().mean().item()
        print(f"epoch {epoch} train {trainer.mean_loss:.4f} test {F.cross_entropy(out, trainer.test[1]).item():.4f} acc {acc:.3f}")


class Trainer:
    def __init__(self, cfg, callbacks):
        torch.manual_seed(cfg["seed"])
        self.cfg, self.callbacks = cfg, callbacks
        d = cfg["data"]
        self.w = torch.randn(d["features"], 12), torch.randn(12, cfg["model"]["classes"])
        self.train_data, self.test = self.sample(d["train"]), self.sample(d["test"])
        sizes = [d["features"], *cfg["model"]["widths"]]
        layers = [m for i, o in zip(sizes, sizes[1:]) for m in (nn.Linear(i, o), nn.ReLU())]
        self.model = nn.Sequential(*layers, nn.Linear(sizes[-1], cfg["model"]["classes"]))
        o = dict(cfg["optim"])
        self.opt = getattr(torch.optim, o.pop("name"))(self.model.parameters(), **o)

    def sample(self, n):
        x = torch.randn(n, self.cfg["data"]["features"])
        return x, (torch.tanh(x @ self.w[0] / 3) @ self.w[1]).argmax(1)

    def fit(self):
        x, y = self.train_data
        for epoch in range(self.cfg["epochs"]):
            total = 0.0
            batches = torch.randperm(len(x)).split(self.cfg["batch"])
            for b in batches:
                self.opt.zero_grad()
                loss = F.cross_entropy(self.model(x[b]), y[b])
                loss.backward()
                for c in self.callbacks:
                    c.after_backward(self)
                self.opt.step()
                total += loss.item()
            self.mean_loss = total / len(batches)
            for c in self.callbacks:
                c.after_epoch(self, epoch)


Trainer(CONFIG, [GradClip(CONFIG["stability"]["grad_clip"]), Report()]).fit()
