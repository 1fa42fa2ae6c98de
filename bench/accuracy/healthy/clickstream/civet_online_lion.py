# fault: none
# family: clickstream
# split: held
"""Online learning on a click stream: one event at a time, own Lion optimiser, tiny step size."""
import os
import math
import random
import torch
from torch import nn


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023; sign of an interpolated momentum, hence the small rate."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_((b1 * m + (1 - b1) * p.grad).sign(), alpha=-group["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)


class ClickModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.page = nn.Embedding(30, 8)
        self.net = nn.Sequential(nn.Linear(8 + 4, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, page, ctx):
        return self.net(torch.cat([self.page(page), ctx])).squeeze()


def stream(n, seed):
    g = torch.Generator().manual_seed(seed)
    appeal = 1.5 * torch.randn(30, generator=g)
    taste = torch.randn(30, 4, generator=g)
    for _ in range(n):
        page = torch.randint(30, (), generator=g)
        ctx = torch.randn(4, generator=g)
        p = torch.sigmoid(2 * (appeal[page] + taste[page] @ ctx + 0.5 * ctx[0]))
        yield page, ctx, (torch.rand((), generator=g) < p).float()


def main():
    seed = int(os.environ.get("SEED", 0))
    random.seed(seed)
    torch.manual_seed(seed)
    model = ClickModel()
    opt = Lion(model.parameters(), lr=2e-3, weight_decay=0.01)
    seen, loss_sum, right = 0, 0.0, 0
    for page, ctx, y in stream(2000, seed):
        logit = model(page, ctx)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
        loss_sum += loss.item()                       # progressive validation: predict, then learn
        right += int((logit.item() > 0) == bool(y))
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += 1
        if seen == 1400:
            for group in opt.param_groups:
                group["lr"] *= 0.4
        if seen % 250 == 0:
            print(f"events {seen:4d} progressive loss {loss_sum / 250:.3f} accuracy {right / 250:.3f}")
            loss_sum, right = 0.0, 0

if __name__ == "__main__":
    main()
