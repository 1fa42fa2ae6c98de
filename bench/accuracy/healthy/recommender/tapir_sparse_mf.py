# fault: none
# family: recommender
# split: held
"""Matrix factorisation with sparse embeddings, SparseAdam for the tables and Adam for the rest."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
U, I, K = 300, 150, 4
pu, qi = torch.randn(U, K) / 2, torch.randn(I, K)
bu, bi = 0.3 * torch.randn(U), 0.5 * torch.randn(I)


def ratings(n):
    pop = torch.linspace(1, 6, I)
    u, i = torch.randint(0, U, (n,)), torch.multinomial(pop, n, replacement=True)
    r = 3.5 + bu[u] + bi[i] + (pu[u] * qi[i]).sum(1) + 0.3 * torch.randn(n)
    return u, i, r.clamp(1, 5)


class MF(nn.Module):
    def __init__(self, mean, k=6):
        super().__init__()
        self.user, self.item = nn.Embedding(U, k, sparse=True), nn.Embedding(I, k, sparse=True)
        self.ub, self.ib = nn.Embedding(U, 1, sparse=True), nn.Embedding(I, 1, sparse=True)
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.ub, self.ib):
            nn.init.zeros_(e.weight)
        self.mean = nn.Parameter(torch.tensor(mean))

    def forward(self, u, i):
        return self.mean + self.ub(u)[:, 0] + self.ib(i)[:, 0] + (self.user(u) * self.item(i)).sum(1)


train, test = ratings(12000), ratings(2000)
model = MF(train[2].mean().item())
tables = [p for n, p in model.named_parameters() if n != "mean"]
opts = [torch.optim.SparseAdam(tables, lr=1e-2), torch.optim.Adam([model.mean], lr=1e-3)]
for epoch in range(8):
    model.train()
    s = 0.0
    for idx in torch.randperm(12000).split(100):
        u, i, r = (c[idx] for c in train)
        loss = nn.functional.mse_loss(model(u, i), r)
        for o in opts:
            o.zero_grad()
        loss.backward()
        for o in opts:
            o.step()
        s += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        rm = nn.functional.mse_loss(model(test[0], test[1]), test[2]).sqrt().item()
    print(f"epoch {epoch} train {s / 12000:.4f} test rmse {rm:.4f}")
