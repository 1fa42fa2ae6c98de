# fault: none
# family: regression
# split: tune
# Three quantiles at once with the pinball loss.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

quantiles = torch.tensor([0.1, 0.5, 0.9])


def pinball(pred, target):
    err = target.unsqueeze(1) - pred
    return torch.maximum(quantiles * err, (quantiles - 1) * err).mean()


x = torch.rand(2000, 1) * 4 - 2
y = torch.sin(2 * x[:, 0]) + (0.1 + 0.2 * x[:, 0].abs()) * torch.randn(2000)
model = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 3))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=100, gamma=0.5)
vals = []
for it in range(300):
    i = torch.randint(0, 2000, (128,))
    loss = pinball(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    vals.append(loss.item())
with torch.no_grad():
    print("coverage", (y.unsqueeze(1) < model(x)).float().mean(0).tolist())
print(f"loss first {vals[0]:.4f} last {vals[-1]:.4f}")
