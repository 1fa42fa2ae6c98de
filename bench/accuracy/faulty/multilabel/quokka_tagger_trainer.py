# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: multilabel
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

CFG = {"tags": 12, "features": 40, "hidden": 96, "lr": 2e-3, "epochs": 10, "batch_size": 64}


class Tagger(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Linear(cfg["features"], cfg["hidden"]), nn.GELU(),
            nn.Linear(cfg["hidden"], cfg["hidden"]), nn.GELU(),
        )
        self.head = nn.Linear(cfg["hidden"], cfg["tags"])

    def forward(self, x):
        return self.predict_proba(self.backbone(x))

    def predict_proba(self, h):
        return torch.sigmoid(self.head(h))


class FocalFreeLoss(nn.Module):
    """Weighted multi-label loss; rare tags count a little more."""

    def __init__(self, pos_rate):
        super().__init__()
        self.register_buffer("pw", ((1 - pos_rate) / pos_rate).clamp(max=5.0).sqrt())
        self.inner = nn.BCEWithLogitsLoss(pos_weight=self.pw)

    def forward(self, out, tags):
        return self.inner(out, tags)


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        w = torch.randn(cfg["features"], cfg["tags"]) / cfg["features"] ** 0.5
        x = torch.randn(3000, cfg["features"])
        y = (x @ w * 2 + 0.2 * torch.randn(3000, cfg["tags"]) > 1.2).float()
        self.train_x, self.train_y, self.val_x, self.val_y = x[:2500], y[:2500], x[2500:], y[2500:]
        self.model = Tagger(cfg)
        self.loss = FocalFreeLoss(self.train_y.mean(0))
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg["lr"])

    def epoch(self):
        self.model.train()
        order, total, n = torch.randperm(len(self.train_x)), 0.0, 0
        for rows in order.split(self.cfg["batch_size"]):
            loss = self.loss(self.model(self.train_x[rows]), self.train_y[rows])
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            total, n = total + loss.item(), n + 1
        return total / n

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        out = self.model(self.val_x)
        return self.loss(out, self.val_y).item(), ((out > 0.5) == self.val_y.bool()).float().mean().item()

    def fit(self):
        for e in range(self.cfg["epochs"]):
            tr = self.epoch()
            va, acc = self.validate()
            print(f"epoch {e} train {tr:.4f} val {va:.4f} hamming {acc:.4f}")


Trainer(CFG).fit()
