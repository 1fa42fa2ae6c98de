"""Multinomial regression on gene counts, solved with L-BFGS; one step evaluates the function up to twenty times."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(31)
cells, genes, kinds = 24000, 800, 14
kind = torch.randint(kinds, (cells,))
profile = torch.randn(kinds, genes) * (torch.rand(kinds, genes) < 0.1)
counts = torch.poisson(torch.exp(0.35 * profile[kind] + 0.4 * torch.randn(cells, 1)))
x = torch.log1p(counts)
x = (x - x.mean(0)) / (x.std(0) + 1e-6)

net = nn.Sequential(nn.Linear(genes, 64), nn.Tanh(), nn.Linear(64, kinds))
lbfgs = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=20, history_size=10, line_search_fn="strong_wolfe")
evaluations = 0


def closure():
    global evaluations
    evaluations += 1
    lbfgs.zero_grad()
    penalty = 1e-4 * sum(p.square().sum() for p in net.parameters())
    loss = F.cross_entropy(net(x), kind) + penalty
    loss.backward()
    return loss


begin = time.time()
for step in range(11):
    loss = lbfgs.step(closure)
    with torch.no_grad():
        wrong = (net(x[:4000]).argmax(1) != kind[:4000]).float().mean().item()
    print(f"step {step}: {loss.item():.5f} wrong {wrong:.4f} after {evaluations} evaluations, {time.time() - begin:.1f} s")
