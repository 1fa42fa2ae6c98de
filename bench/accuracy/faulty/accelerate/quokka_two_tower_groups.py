# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: accelerate
# split: tune
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", "0")))


class TwoStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(30, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 16), nn.Tanh())
        self.head = nn.Linear(16, 6)

    def forward(self, x):
        return self.head(self.backbone(x))


def param_groups(model, lr=2e-3, lr_head=4e-3, wd=1e-2):
    encoder_decay, encoder_plain, head = [], [], []
    for name, p in model.named_parameters():
        if name.startswith("head."):
            head.append(p)
        elif name.startswith("encoder."):
            (encoder_plain if p.ndim == 1 else encoder_decay).append(p)
    groups = [
        {"params": encoder_decay, "lr": lr, "weight_decay": wd},
        {"params": encoder_plain, "lr": lr, "weight_decay": 0.0},
        {"params": head, "lr": lr_head, "weight_decay": wd},
    ]
    return [g for g in groups if g["params"]]


def data(n):
    x = torch.randn(n, 30)
    y = (x[:, 0] * x[:, 1] > 0).long() * 3 + (x[:, 2] + x[:, 3].abs() - 0.8).sign().add(1).long().clamp(0, 1) + (x[:, 4] > 0.8).long()
    return TensorDataset(x, y)


accelerator = Accelerator(cpu=True)
model = TwoStage()
optimizer = torch.optim.AdamW(param_groups(model))
train_dl, val_dl = DataLoader(data(3000), 50, shuffle=True), DataLoader(data(500), 250)
model, optimizer, train_dl, val_dl = accelerator.prepare(model, optimizer, train_dl, val_dl)
for epoch in range(10):
    model.train()
    tot = 0.0
    for x, y in train_dl:
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        tot += loss.item()
    model.eval()
    right = seen = 0
    with torch.no_grad():
        for x, y in val_dl:
            g, t = accelerator.gather_for_metrics((model(x).argmax(1), y))
            right, seen = right + (g == t).sum().item(), seen + len(t)
    accelerator.print(f"epoch {epoch} loss {tot / len(train_dl):.4f} acc {right / seen:.3f}")
