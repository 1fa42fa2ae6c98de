# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: r2 higher
# baseline: 0.0
# reaches: 0.85
# Unusual: 35 LBFGS steps on the exact marginal likelihood of a Gaussian process, 80 rows; the loss is a negative log evidence that becomes negative; 6 scalar parameters
import math
import os

import torch

torch.set_default_dtype(torch.float64)
seed = int(os.environ.get("SEED", 0))
gen = torch.Generator().manual_seed(seed)


def f(x):
    return torch.sin(3 * x[:, 0]) + 0.7 * torch.cos(2 * x[:, 1]) * x[:, 0]


def draw(n):
    x = torch.rand(n, 4, generator=gen) * 3 - 1.5  # columns 2 and 3 are irrelevant
    return x, f(x) + 0.05 * torch.randn(n, generator=gen)


x, y = draw(80)
xt, yt = draw(500)
mean, std = y.mean(), y.std()
y = (y - mean) / std
log_len = torch.zeros(4, requires_grad=True)
log_amp = torch.zeros((), requires_grad=True)
log_noise = torch.tensor(-1.0, requires_grad=True)
params = [log_len, log_amp, log_noise]


def kernel(a, b):
    d2 = ((a[:, None] - b[None]) / log_len.exp()).square().sum(2)
    return torch.exp(2 * log_amp - 0.5 * d2)


def evidence():
    K = kernel(x, x) + (torch.exp(2 * log_noise) + 1e-6) * torch.eye(len(x))
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y[:, None], L)
    nll = 0.5 * (y @ alpha[:, 0]) + L.diagonal().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)
    prior = 0.02 * log_len.square().sum() + 0.02 * log_amp.square()
    return nll / len(x) + prior / len(x), alpha


opt = torch.optim.LBFGS(params, lr=0.3, max_iter=2, line_search_fn="strong_wolfe")
for step in range(35):
    def closure():
        opt.zero_grad()
        loss, _ = evidence()
        loss.backward()
        return loss

    loss = opt.step(closure)
    if step % 5 == 0:
        print(f"step {step} negative log evidence per row {loss.item():+.4f} lengths {[round(v, 2) for v in log_len.exp().tolist()]}")

with torch.no_grad():
    _, alpha = evidence()
    pred = (kernel(xt, x) @ alpha)[:, 0] * std + mean
    r2 = 1 - (pred - yt).square().mean() / yt.var()
print(f"result: r2 {r2.item():.4f}")
