# fault: broadcast-targets
# cause_class: labels, loss
# family: realestate
# split: held
'''
Monthly rent from flat attributes + district. Log-cosh because of outliers.
EMA weights are used for the final number.
'''
import copy
import math
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get('SEED', 0)))

def build_table(n):
    size = 25 + 120 * torch.rand(n) ** 1.5
    rooms = (size / 28 + 0.6 * torch.randn(n)).round().clamp(1, 7)
    floor = torch.randint(0, 9, (n,)).float()
    district = torch.randint(0, 15, (n,))
    lift = (torch.rand(n) < 0.4).float()
    year = 1900 + 120 * torch.rand(n)
    level = 9 + 5 * torch.sin(torch.arange(15.) * 1.7)
    rent = size * level[district] * (1 + 0.03 * floor * lift) + 60 * rooms + 2.5 * (year - 1960).clamp(min=0)
    rent = rent * torch.exp(0.08 * torch.randn(n))
    num = torch.stack([size, rooms, floor, lift, year], 1)
    return num, district, rent

def log_cosh(pred, true):
    d = pred - true
    return (d + nn.functional.softplus(-2 * d) - math.log(2)).mean()

class RentNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.where = nn.Embedding(15, 6)
        self.trunk = nn.Sequential(nn.Linear(11, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU())
        self.price = nn.Linear(96, 1)

    def forward(self, num, district):
        return self.price(self.trunk(torch.cat([num, self.where(district)], dim=1)))

num, district, rent = build_table(3000)
mu, sd = num[:2400].mean(0), num[:2400].std(0)
num = (num - mu) / sd
r_mu, r_sd = rent[:2400].mean(), rent[:2400].std()
target = (rent - r_mu) / r_sd

model = RentNet()
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
steps, bs = 500, 96
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)

for step in range(steps):
    idx = torch.randint(2400, (bs,))
    loss = log_cosh(model(num[idx], district[idx]), target[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    with torch.no_grad():
        for a, b in zip(ema.parameters(), model.parameters()):
            a.lerp_(b, 0.02)
    if step % 100 == 0:
        print(f'{step}: {loss.item():.4f}')

with torch.no_grad():
    pred = ema(num[2400:], district[2400:]).squeeze(1) * r_sd + r_mu
err = (pred - rent[2400:]).abs()
r2 = 1 - (err ** 2).sum() / ((rent[2400:] - rent[2400:].mean()) ** 2).sum()
print(f'MAE {err.mean():.0f} EUR, R2 {r2:.3f}')
