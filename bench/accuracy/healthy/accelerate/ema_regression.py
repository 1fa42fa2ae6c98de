# fault: none
# family: accelerate
# split: tune
# needs: accelerate
"""Adadelta with lr=1 and an averaged model for evaluation."""
import os
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed


class Runner:
    def __init__(self):
        set_seed(int(os.environ.get("SEED", 0)))
        self.acc = Accelerator(cpu=True)
        x = torch.rand(1500, 2) * 4 - 2
        y = torch.exp(-(x ** 2).sum(1, keepdim=True)) * 2 + torch.sin(2 * x[:, :1]) + 0.05 * torch.randn(1500, 1)
        y = (y - y.mean()) / y.std()
        model = nn.Sequential(nn.Linear(2, 64), nn.Mish(), nn.Linear(64, 64), nn.Mish(), nn.Linear(64, 1))
        opt = torch.optim.Adadelta(model.parameters(), lr=1.0)
        self.model, self.opt, self.train, self.val = self.acc.prepare(
            model, opt, DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=40, shuffle=True),
            DataLoader(TensorDataset(x[1200:], y[1200:]), batch_size=300))
        self.ema = AveragedModel(self.acc.unwrap_model(self.model), multi_avg_fn=get_ema_multi_avg_fn(0.98))

    def epoch(self):
        self.model.train()
        s = 0.0
        for a, b in self.train:
            loss = nn.functional.mse_loss(self.model(a), b)
            self.opt.zero_grad()
            self.acc.backward(loss)
            self.opt.step()
            self.ema.update_parameters(self.acc.unwrap_model(self.model))
            s += loss.item()
        return s / len(self.train)

    @torch.no_grad()
    def evaluate(self):
        self.ema.eval()
        return sum(nn.functional.mse_loss(self.ema(a), b).item() for a, b in self.val) / len(self.val)


r = Runner()
for e in range(14):
    t = r.epoch()
    if e % 2:
        r.acc.print(f"epoch {e} train {t:.4f} averaged model {r.evaluate():.4f}")
