# fault: none
# family: embedding
# split: tune
# Matrix factorisation of ratings with biases: every step touches few rows of the tables.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

USERS, ITEMS, K = 200, 120, 5
P, Q = torch.randn(USERS, K) * 0.5, torch.randn(ITEMS, K) * 0.5
u = torch.randint(0, USERS, (8000,))
i = torch.randint(0, ITEMS, (8000,))
r = 3.5 + (P[u] * Q[i]).sum(1) + 0.3 * torch.randn(USERS)[u] + 0.1 * torch.randn(8000)


class MF(nn.Module):
    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Embedding(USERS, 8), nn.Embedding(ITEMS, 8)
        self.ub, self.ib = nn.Embedding(USERS, 1), nn.Embedding(ITEMS, 1)
        self.mu = nn.Parameter(torch.zeros(()))
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.ub, self.ib):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return self.mu + (self.ub(u) + self.ib(i)).squeeze(1) + (self.user(u) * self.item(i)).sum(1)


model = MF()
model.mu.data = r.mean()
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.15)
loss_fn = nn.MSELoss()
rmse = []
for epoch in range(6):
    for k in torch.randperm(8000).split(160):
        loss = loss_fn(model(u[k], i[k]), r[k])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rmse.append(loss.item())
print(f"loss first {rmse[0]:.4f} last {rmse[-1]:.4f}")
