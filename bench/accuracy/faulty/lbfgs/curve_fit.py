# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: lbfgs
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

t = torch.linspace(-1, 1, 200)[:, None]
y = torch.sin(4 * t) + 0.5 * t ** 2 + 0.03 * torch.randn_like(t)
tv = torch.linspace(-0.99, 0.99, 150)[:, None]
yv = torch.sin(4 * tv) + 0.5 * tv ** 2


class Fit:
    def __init__(self, net, lr, inner):
        self.net = net
        self.opt = torch.optim.LBFGS(net.parameters(), lr=lr, max_iter=inner, history_size=10, line_search_fn="strong_wolfe")
        self.evals = 0

    def objective(self):
        return nn.functional.mse_loss(self.net(t), y)

    def closure(self):
        loss = self.objective()
        loss.backward()
        self.evals += 1
        return loss

    def step(self):
        return self.opt.step(self.closure).item()


fit = Fit(nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)), lr=0.1, inner=5)
for k in range(100):
    loss = fit.step()
    if k % 10 == 9:
        with torch.no_grad():
            v = nn.functional.mse_loss(fit.net(tv), yv).item()
        print(f"step {k + 1} ({fit.evals} evaluations) loss {loss:.5f} between the points {v:.5f}")
