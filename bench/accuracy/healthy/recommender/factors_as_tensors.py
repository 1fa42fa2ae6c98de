# fault: none
# family: recommender
# split: tune
import os

import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))
users, items, rank = 60, 40, 4
ratings = torch.randn(users, rank) @ torch.randn(rank, items) + 0.1 * torch.randn(users, items)
seen = torch.rand(users, items) < 0.5

U = (0.1 * torch.randn(users, rank)).requires_grad_()
V = (0.1 * torch.randn(items, rank)).requires_grad_()
bu, bv = torch.zeros(users, 1, requires_grad=True), torch.zeros(1, items, requires_grad=True)
optimizer = torch.optim.Adam([U, V, bu, bv], lr=0.02)
for i in range(500):
    error = (U @ V.T + bu + bv - ratings)[seen]
    loss = error.pow(2).mean() + 1e-3 * (U.pow(2).sum() + V.pow(2).sum())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 100 == 0:
        print(i, loss.item(), (error**2).mean().item())
