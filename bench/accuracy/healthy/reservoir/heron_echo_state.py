# fault: none
# family: reservoir
# split: held
"""Echo state network on the Mackey-Glass series: fixed random recurrent part, trained readout."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def mackey_glass(n, tau=17, warm=300):
    x = [1.2] * (tau + 1)
    for _ in range((n + warm)):
        x.append(x[-1] + 0.2 * x[-tau - 1] / (1 + x[-tau - 1] ** 10) - 0.1 * x[-1])
    s = torch.tensor(x[-n:])
    return (s - s.mean()) / s.std()


class Reservoir(nn.Module):
    def __init__(self, size=200, radius=0.9, leak=0.5):
        super().__init__()
        w = torch.randn(size, size) * (torch.rand(size, size) < 0.1)
        w *= radius / torch.linalg.eigvals(w).abs().max()
        self.register_buffer("w", w)
        self.register_buffer("w_in", torch.rand(size) - 0.5)
        self.leak = leak

    @torch.no_grad()
    def forward(self, u):
        h, out = torch.zeros(len(self.w)), []
        for v in u:
            h = (1 - self.leak) * h + self.leak * torch.tanh(self.w @ h + self.w_in * v)
            out.append(h)
        return torch.stack(out)


series = mackey_glass(3010)
states = Reservoir()(series[:3000])
horizon = 6
h, target = states[100:3000 - horizon], series[100 + horizon:3000].unsqueeze(1)
h = (h - h[:2200].mean(0)) / h[:2200].std(0)
readout = nn.Sequential(nn.Linear(200, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.AdamW(readout.parameters(), lr=2e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=6e-3, total_steps=1050)
for epoch in range(30):
    tot = 0.0
    for idx in torch.randperm(2240).split(64):
        loss = nn.functional.smooth_l1_loss(readout(h[idx]), target[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item() / 35
    if epoch % 5 == 4:
        with torch.no_grad():
            nrmse = (readout(h[2240:]) - target[2240:]).square().mean().sqrt()
        print(f"epoch {epoch} train {tot:.5f} test NRMSE {nrmse.item():.4f}")
