# fault: none
# family: mlp
# split: tune
# An activation as a custom autograd.Function and an optimiser of one's own (sign descent, as Lion).
import os

import torch
from torch import nn
from torch.optim import Optimizer

torch.manual_seed(int(os.environ.get("SEED", "0")))


class SquareRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        r = x.clamp(min=0)
        ctx.save_for_backward(r)
        return r * r

    @staticmethod
    def backward(ctx, g):
        (r,) = ctx.saved_tensors
        return 2 * r * g


class Act(nn.Module):
    def forward(self, x):
        return SquareRelu.apply(x)


class Lion(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            b1, b2 = g["betas"]
            for p in g["params"]:
                if p.grad is None:
                    continue
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - g["lr"] * g["weight_decay"])
                p.add_((b1 * m + (1 - b1) * p.grad).sign(), alpha=-g["lr"])
                m.lerp_(p.grad, 1 - b2)
        return loss


x = torch.randn(2000, 8)
y = ((x[:, :4] ** 2).sum(1) > (x[:, 4:] ** 2).sum(1)).long()
model = nn.Sequential(nn.Linear(8, 48), Act(), nn.Linear(48, 2))
opt = Lion(model.parameters(), lr=2e-3, weight_decay=0.01)
ce = nn.CrossEntropyLoss()
trace = []
for step in range(300):
    i = torch.randint(0, 2000, (64,))
    opt.zero_grad()
    loss = ce(model(x[i]), y[i])
    loss.backward()
    opt.step()
    trace.append(loss.item())
print(f"loss first {trace[0]:.4f} last {sum(trace[-10:]) / 10:.4f}")
