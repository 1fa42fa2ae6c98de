# fault: model-replaced
# cause_class: not-updated, optimizer
# family: accelerate
# split: held
# needs: accelerate
"""Pre-train a small encoder on eight source classes, then transfer to three target classes."""
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    dim: int = 32
    hidden: int = 64
    source_classes: int = 8
    target_classes: int = 3
    pre_epochs: int = 4
    epochs: int = 8
    lr: float = 2e-3
    backbone_lr: float = 1e-5
    batch: int = 32
    seed: int = int(os.environ.get("SEED", "0"))


class Backbone(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(cfg.dim, cfg.hidden), nn.GELU(), nn.Linear(cfg.hidden, cfg.hidden), nn.GELU())

    def forward(self, x):
        return self.body(x)


class Classifier(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.backbone = Backbone(cfg)
        self.reset_head(cfg.source_classes)

    def reset_head(self, classes):
        self.head = nn.Sequential(nn.LayerNorm(self.cfg.hidden), nn.Linear(self.cfg.hidden, classes))

    def forward(self, x):
        return self.head(self.backbone(x))


def data(cfg, classes, n, centres):
    y = torch.randint(0, classes, (n,))
    x = centres[y] + 1.2 * torch.randn(n, cfg.dim)
    return TensorDataset(x, y)


def make_optimizer(model, cfg, backbone_lr):
    return torch.optim.AdamW([{"params": model.backbone.parameters(), "lr": backbone_lr},
                              {"params": model.head.parameters(), "lr": cfg.lr}], weight_decay=0.01)


def run(acc, model, opt, loader, val, epochs, tag):
    for ep in range(epochs):
        model.train()
        tot = 0.0
        for x, y in loader:
            with acc.autocast():
                loss = F.cross_entropy(model(x), y)
            acc.backward(loss)
            acc.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            opt.zero_grad()
            tot += loss.item() / len(loader)
        model.eval()
        with torch.no_grad():
            hit = [acc.gather_for_metrics((model(x).argmax(1) == y).float()) for x, y in val]
        acc.print(f"{tag} {ep} loss {tot:.4f} val acc {torch.cat(hit).mean():.3f}")


def main():
    cfg = Config()
    set_seed(cfg.seed)
    acc = Accelerator(cpu=True)
    src, tgt = torch.randn(cfg.source_classes, cfg.dim) * 0.7, torch.randn(cfg.target_classes, cfg.dim) * 0.7
    loaders = [DataLoader(data(cfg, c, n, m), cfg.batch, shuffle=s) for c, n, m, s in
               [(cfg.source_classes, 1024, src, True), (cfg.source_classes, 256, src, False),
                (cfg.target_classes, 768, tgt, True), (cfg.target_classes, 256, tgt, False)]]
    model = Classifier(cfg)
    opt = make_optimizer(model, cfg, cfg.lr)
    model, opt, *loaders = acc.prepare(model, opt, *loaders)
    run(acc, model, opt, loaders[0], loaders[1], cfg.pre_epochs, "source")

    opt = acc.prepare(make_optimizer(acc.unwrap_model(model), cfg, cfg.backbone_lr))
    acc.unwrap_model(model).reset_head(cfg.target_classes)
    run(acc, model, opt, loaders[2], loaders[3], cfg.epochs, "target")


if __name__ == "__main__":
    main()
