# fault: none
# family: recommender
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
USERS, ITEMS, D = 400, 200, 8
tu, ti = torch.randn(USERS, 3), torch.randn(ITEMS, 3)
u, i = torch.randint(0, USERS, (14000,)), torch.randint(0, ITEMS, (14000,))
rating = (tu[u] * ti[i]).sum(1) * 0.8 + 0.2 * torch.randn(14000)


class MF(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Embedding(USERS, D, sparse=True)
        self.i = nn.Embedding(ITEMS, D, sparse=True)
        self.bu, self.bi = nn.Embedding(USERS, 1, sparse=True), nn.Embedding(ITEMS, 1, sparse=True)
        for e in (self.u, self.i):
            nn.init.normal_(e.weight, std=0.3)
        for e in (self.bu, self.bi):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return (self.u(u) * self.i(i)).sum(1) + self.bu(u).squeeze(1) + self.bi(i).squeeze(1)


model = MF()
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
for epoch in range(8):
    s = 0.0
    batches = torch.randperm(12000).split(128)
    for b in batches:
        loss = nn.functional.mse_loss(model(u[b], i[b]), rating[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(u[12000:], i[12000:]), rating[12000:]).item()
    print(f"epoch {epoch} train {s / len(batches):.4f} held-out {v:.4f} variance {rating.var().item():.3f}")
