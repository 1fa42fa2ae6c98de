# fault: identical-batches
# cause_class: data-loading, overfit
# family: accelerate
# split: held
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Waves(IterableDataset):
    """endless simulated pulses; the label is the pulse's form"""

    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        t = torch.linspace(-1, 1, 32)
        while True:
            y = int(torch.randint(0, 3, (1,), generator=g))
            c = 0.5 * torch.rand(1, generator=g) - 0.25
            d = (t - c) / 0.3
            form = (torch.exp(-d ** 2), (1 - d.abs()).clamp(min=0), (d.abs() < 0.8).float())[y]
            yield form + 0.25 * torch.randn(32, generator=g), y


def batch_from(loader):
    return next(iter(loader))


accelerator = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(32, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
train, val = DataLoader(Waves(SEED + 1), batch_size=32), DataLoader(Waves(SEED + 2), batch_size=300)
model, opt = accelerator.prepare(model, opt)
xv, yv = batch_from(val)
for step in range(250):
    model.train()
    x, y = batch_from(train)
    loss = nn.functional.cross_entropy(model(x), y)
    accelerator.backward(loss)
    opt.step()
    opt.zero_grad()
    if step % 25 == 24:
        model.eval()
        with torch.no_grad():
            out = model(xv)
            vl = nn.functional.cross_entropy(out, yv)
        accelerator.print(f"step {step + 1} train {loss.item():.4f} val {vl.item():.4f} "
                          f"acc {(out.argmax(1) == yv).float().mean().item():.3f}")
