# fault: none
# family: diffusion
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
T = 50
beta = torch.linspace(1e-3, 0.15, T)
abar = torch.cumprod(1 - beta, 0)


def spiral(n):
    t = 1 + 8 * torch.rand(n)
    return torch.stack([t * t.cos(), t * t.sin()], 1) / 5 + 0.03 * torch.randn(n, 2)


class Eps(nn.Module):
    def __init__(self, d=96):
        super().__init__()
        self.time = nn.Embedding(T, d)
        self.inp = nn.Linear(2, d)
        self.mid = nn.Sequential(nn.SiLU(), nn.Linear(d, d), nn.SiLU(), nn.Linear(d, d), nn.SiLU())
        self.out = nn.Linear(d, 2)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x, t):
        return self.out(self.mid(self.inp(x) + self.time(t)))


net = Eps()
ema = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 900)
acc = []
for it in range(900):
    x0 = spiral(128)
    t = torch.randint(0, T, (128,))
    e = torch.randn_like(x0)
    a = abar[t].unsqueeze(1)
    loss = nn.functional.mse_loss(net(a.sqrt() * x0 + (1 - a).sqrt() * e, t), e)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    ema.update_parameters(net)
    acc.append(loss.item())
    if it % 150 == 149:
        print(f"{it + 1} loss {sum(acc[-150:]) / 150:.4f}")
x = torch.randn(300, 2)
with torch.no_grad():
    for t in reversed(range(T)):
        e = ema(x, torch.full((300,), t))
        x = (x - beta[t] / (1 - abar[t]).sqrt() * e) / (1 - beta[t]).sqrt() + (beta[t].sqrt() * torch.randn_like(x) if t else 0)
print("distance of samples to the spiral %.3f" % torch.cdist(x, spiral(2000)).min(1).values.mean())
