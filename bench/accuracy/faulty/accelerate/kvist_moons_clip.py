# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: accelerate
# split: held
# needs: accelerate, sklearn
import os
from dataclasses import dataclass

import torch
from accelerate import Accelerator
from sklearn.datasets import make_moons
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Hparams:
    lr: float = 0.1
    momentum: float = 0.9
    max_norm: float = 1e-4
    batch: int = 32
    epochs: int = 10
    seed: int = int(os.environ.get("SEED", 0))


hp = Hparams()
torch.manual_seed(hp.seed)
x, y = make_moons(1400, noise=0.15, random_state=hp.seed)
x = torch.tensor(x, dtype=torch.float32)
y = torch.tensor(y)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=1)
net = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))
opt = torch.optim.SGD(net.parameters(), lr=hp.lr, momentum=hp.momentum)
net, opt, dl = accelerator.prepare(net, opt, DataLoader(TensorDataset(x[:1120], y[:1120]), hp.batch, shuffle=True))

for epoch in range(hp.epochs):
    s = 0.0
    for xb, yb in dl:
        with accelerator.accumulate(net):
            loss = nn.functional.cross_entropy(net(xb), yb)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(net.parameters(), hp.max_norm)
            opt.step()
            opt.zero_grad()
        s += loss.item()
    with torch.no_grad():
        acc = (net(x[1120:]).argmax(1) == y[1120:]).float().mean().item()
    print(f"epoch {epoch} loss {s / len(dl):.4f} acc {acc:.3f}")
