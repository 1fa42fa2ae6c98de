# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: pinball lower
# baseline: 0.42
# reaches: 0.21
# Unusual: five quantiles at once with the pinball loss; gradients are constant in size and the loss floor is the noise, a third of the starting loss
import os

import torch

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
TAUS = torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95])


def sample(n):
    x = torch.rand(n, 2) * 4 - 2
    scale = 0.2 + 0.6 * torch.sigmoid(3 * x[:, 1])
    y = torch.sin(2 * x[:, 0]) * 1.5 + x[:, 1] + scale * (torch.distributions.Gamma(2.0, 1.0).sample((n,)) - 2)
    return x, y


class QuantileFan(torch.nn.Module):
    """Predicts the lowest quantile and positive increments, so quantiles never cross."""

    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.SiLU(), torch.nn.Linear(64, 64), torch.nn.SiLU())
        self.low = torch.nn.Linear(64, 1)
        self.gaps = torch.nn.Linear(64, len(TAUS) - 1)

    def forward(self, x):
        h = self.body(x)
        steps = torch.nn.functional.softplus(self.gaps(h))
        return torch.cat([self.low(h), steps], 1).cumsum(1)


def pinball(q, y):
    d = y[:, None] - q
    return torch.maximum(TAUS * d, (TAUS - 1) * d).mean()


x_train, y_train = sample(4000)
x_test, y_test = sample(2000)
constant = torch.quantile(y_train, TAUS).expand(len(y_test), -1)
print(f"constant quantiles {pinball(constant, y_test).item():.4f}")
fan = QuantileFan()
opt = torch.optim.Adam(fan.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 400, 0.3)
for step in range(1000):
    i = torch.randint(0, len(x_train), (128,))
    loss = pinball(fan(x_train[i]), y_train[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 0:
        print(f"step {step} pinball {loss.item():.4f}")
with torch.no_grad():
    q = fan(x_test)
    print("coverage 5-95 %", ((y_test > q[:, 0]) & (y_test < q[:, 4])).float().mean().item())
    print(f"result: pinball {pinball(q, y_test).item():.4f}")
