# fault: none
# family: recommender
# split: held
"""Matrix factorisation, one rating at a time, parameters moved by hand."""
import os

import torch

torch.manual_seed(int(os.environ.get("SEED", "0")))
USERS, ITEMS, RANK = 30, 40, 3

true_u, true_v = torch.randn(USERS, 2), torch.randn(ITEMS, 2)
pairs = torch.cartesian_prod(torch.arange(USERS), torch.arange(ITEMS))
pairs = pairs[torch.randperm(len(pairs))[:900]]
ratings = (true_u[pairs[:, 0]] * true_v[pairs[:, 1]]).sum(1) + 0.1 * torch.randn(len(pairs))
train, test = slice(0, 800), slice(800, None)


class Factors:
    def __init__(self, lr=0.05, reg=0.01):
        self.lr, self.reg = lr, reg
        self.u = (0.3 * torch.randn(USERS, RANK)).requires_grad_()
        self.v = (0.3 * torch.randn(ITEMS, RANK)).requires_grad_()

    def predict(self, i, j):
        return (self.u[i] * self.v[j]).sum(-1)

    def update(self, i, j, r):
        err = self.predict(i, j) - r
        loss = err.pow(2) + self.reg * (self.u[i].pow(2).sum() + self.v[j].pow(2).sum())
        gu, gv = torch.autograd.grad(loss, [self.u, self.v])
        with torch.no_grad():
            self.u -= self.lr * gu
            self.v -= self.lr * gv
        return err.item() ** 2

    @torch.no_grad()
    def rmse(self, part):
        p = pairs[part]
        return (self.predict(p[:, 0], p[:, 1]) - ratings[part]).pow(2).mean().sqrt().item()


mf = Factors()
total, count = 0.0, 0
order = torch.cat([torch.randperm(800) for _ in range(3)])[:2000]
for step, k in enumerate(order.tolist(), 1):
    total += mf.update(pairs[k, 0], pairs[k, 1], ratings[k])
    if step % 200 == 0:
        print(f"update {step} running mse {total / 200:.4f} rmse train {mf.rmse(train):.4f} test {mf.rmse(test):.4f}")
        total = 0.0
