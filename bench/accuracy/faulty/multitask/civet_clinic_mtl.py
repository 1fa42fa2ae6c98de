# fault: no-gradient
# cause_class: not-updated, loss, structure
# family: multitask
# split: tune
"""ICU first-24h vitals -> length of stay (regression), mortality (binary), discharge unit (5 classes)."""
from __future__ import annotations
import os
import torch
import torch.nn as nn
import torch.nn.functional as F


class ICUDataset(torch.utils.data.Dataset):
    def __init__(self, n: int, g: torch.Generator):
        self.x = torch.randn(n, 24, 6, generator=g).cumsum(1) * 0.3
        trend = self.x[:, -6:].mean(1) - self.x[:, :6].mean(1)
        level = self.x.mean(1)
        self.los = (level[:, 0] + trend[:, 1].abs() + 0.2 * torch.randn(n, generator=g))
        self.dead = ((trend[:, 2] - level[:, 3] + 0.3 * torch.randn(n, generator=g)) > 0.3).float()
        self.unit = torch.stack([level[:, 4], trend[:, 4], -level[:, 5], trend[:, 5], level[:, 2] * 0.5], 1).argmax(1)

    def __len__(self):
        return len(self.los)

    def __getitem__(self, i):
        return self.x[i], self.los[i], self.dead[i], self.unit[i]


class SharedNet(nn.Module):
    def __init__(self, width: int = 40):
        super().__init__()
        self.rnn = nn.GRU(6, width, batch_first=True)
        self.shared = nn.Sequential(nn.Linear(2 * width, 64), nn.ReLU())
        self.los = nn.Linear(64, 1)
        self.mort = nn.Linear(64, 1)
        self.unit = nn.Linear(64, 5)

    def forward(self, x):
        h, last = self.rnn(x)
        z = self.shared(torch.cat([h.mean(1), last[-1]], 1))
        return self.los(z).squeeze(1), self.mort(z).squeeze(1), self.unit(z)


WEIGHTS = {"los": 1.0, "mort": 0.8, "unit": 0.5}


def run():
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    train = torch.utils.data.DataLoader(ICUDataset(2000, g), batch_size=50, shuffle=True)
    test = ICUDataset(500, g)
    net = SharedNet()
    opt = torch.optim.RMSprop(net.parameters(), lr=1.5e-3)
    meter: dict[str, float] = {}
    for epoch in range(6):
        for x, los, dead, unit in train:
            p_los, p_dead, p_unit = net(x)
            losses = {
                "los": F.smooth_l1_loss(p_los, los),
                "mort": F.binary_cross_entropy_with_logits(p_dead, dead),
                "unit": F.cross_entropy(p_unit, unit),
            }
            total = losses["los"] * WEIGHTS["los"]
            for name in ("mort", "unit"):
                value = losses[name].item()
                total = total + WEIGHTS[name] * value
            opt.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            for k, v in losses.items():
                meter[k] = 0.95 * meter.get(k, v.item()) + 0.05 * v.item()
        with torch.no_grad():
            a, b, c = net(test.x)
            mae = (a - test.los).abs().mean()
            acc_m = ((b > 0).float() == test.dead).float().mean()
            acc_u = (c.argmax(1) == test.unit).float().mean()
        print(f"epoch {epoch} " + " ".join(f"{k}={v:.3f}" for k, v in meter.items())
              + f" | los MAE {mae:.3f} mortality acc {acc_m:.3f} unit acc {acc_u:.3f}")


if __name__ == "__main__":
    run()
