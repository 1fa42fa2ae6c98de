# fault: none
# family: recommender
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

USERS, ITEMS, K = 300, 200, 8
pu, qi = torch.randn(USERS, 3), torch.randn(ITEMS, 3)
bu, bi = 0.3 * torch.randn(USERS), 0.4 * torch.randn(ITEMS)
u = torch.randint(0, USERS, (20000,))
i = torch.randint(0, ITEMS, (20000,))
r = (3.5 + bu[u] + bi[i] + 0.4 * (pu[u] * qi[i]).sum(1) + 0.2 * torch.randn(20000)).clamp(1, 5)
mean = r[:17000].mean()


class MF(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(USERS, K, sparse=True)
        self.item = nn.Embedding(ITEMS, K, sparse=True)
        self.ub = nn.Embedding(USERS, 1, sparse=True)
        self.ib = nn.Embedding(ITEMS, 1, sparse=True)
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.ub, self.ib):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return mean + self.ub(u).squeeze(1) + self.ib(i).squeeze(1) + (self.user(u) * self.item(i)).sum(1)


model = MF()
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
for epoch in range(6):
    perm = torch.randperm(17000)
    s = 0.0
    for b in perm.split(128):
        loss = nn.functional.mse_loss(model(u[b], i[b]), r[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(b)
    with torch.no_grad():
        v = nn.functional.mse_loss(model(u[17000:], i[17000:]), r[17000:]).sqrt().item()
    print(f"epoch {epoch} train rmse {(s / 17000) ** 0.5:.4f} val rmse {v:.4f}")
