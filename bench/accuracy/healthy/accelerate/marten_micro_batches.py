# fault: none
# family: accelerate
# split: held
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))


class Meters(Dataset):
    """A day of a power meter in half hours, and which of three appliances ran."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        t = torch.arange(48).float()
        self.y = (torch.rand(n, 3, generator=g) < 0.45).float()
        start = torch.randint(4, 36, (n, 3), generator=g).float()[..., None]
        d = t - start
        shapes = torch.stack([((d >= 0) & (d < 3)).float() * 2.0, torch.where(d >= 0, torch.exp(-d.clamp(min=0) / 4), 0.0)[..., :].mul(1.5)[..., :], ((d >= 0) & (d < 9)).float()], -1)
        pick = torch.stack([shapes[:, k, :, k] for k in range(3)], 1)
        self.x = (pick * self.y[..., None]).sum(1) + 0.25 * torch.randn(n, 48, generator=g) - 0.5

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"load": self.x[i].unsqueeze(0), "on": self.y[i]}


class ApplianceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Conv1d(1, 24, 9, padding=4), nn.GroupNorm(4, 24), nn.ReLU(), nn.MaxPool1d(2),
                               nn.Conv1d(24, 32, 5, padding=2), nn.GroupNorm(4, 32), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten())
        self.out = nn.Linear(32, 3)

    def forward(self, x):
        return self.out(self.c(x))


def main():
    set_seed(SEED)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=4)
    net = ApplianceNet()
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
    train, test = DataLoader(Meters(2400, SEED), batch_size=8, shuffle=True), DataLoader(Meters(400, SEED + 1), batch_size=200)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 6e-3, total_steps=5 * 75)
    net, opt, train, test, sched = acc.prepare(net, opt, train, test, sched)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(5):
        net.train()
        total = 0.0
        for batch in train:
            with acc.accumulate(net):
                loss = loss_fn(net(batch["load"]), batch["on"])
                acc.backward(loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(net.parameters(), 0.2)
                opt.step()
                sched.step()
                opt.zero_grad()
            total += loss.item() / len(train)
        net.eval()
        with torch.no_grad():
            right = torch.cat([acc.gather_for_metrics((net(b["load"]) > 0) == b["on"].bool()) for b in test])
        acc.print(f"epoch {epoch} loss {total:.4f} right {right.float().mean():.3f}")


if __name__ == "__main__":
    main()
