# fault: learning-rate-too-low
# cause_class: learning-rate
# family: accelerate
# split: held
# needs: accelerate
import math, os
from dataclasses import dataclass
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed


@dataclass
class Cfg:
    lr: float = 3e-3
    min_lr: float = 1e-5
    warmup: int = 20
    epochs: int = 10
    batch: int = 32


cfg = Cfg()
seed = int(os.environ.get("SEED", 0))
set_seed(seed)
x = torch.randn(960, 10)
y = (torch.sin(x[:, 0]) + x[:, 3] + 0.5 * x[:, 1] * x[:, 2]).unsqueeze(1)
loader = DataLoader(TensorDataset(x, (y - y.mean()) / y.std()), batch_size=cfg.batch, shuffle=True)
model = nn.Sequential(nn.Linear(10, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
total = cfg.epochs * len(loader)


def lr_at(step):
    if step < cfg.warmup:
        return cfg.lr * (step + 1) / cfg.warmup
    frac = (step - cfg.warmup) / max(1, total - cfg.warmup)
    return cfg.min_lr + 0.5 * (cfg.lr - cfg.min_lr) * (1 + math.cos(math.pi * min(1.0, frac)))


sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)
acc = Accelerator(cpu=True)
model, opt, loader, sched = acc.prepare(model, opt, loader, sched)
for epoch in range(cfg.epochs):
    total_loss = 0.0
    for xb, yb in loader:
        with acc.accumulate(model):
            loss = nn.functional.mse_loss(model(xb), yb)
            acc.backward(loss)
            opt.step()
            sched.step()
            opt.zero_grad()
        total_loss += loss.item()
    acc.print(f"epoch {epoch} mse {total_loss / len(loader):.4f}")
