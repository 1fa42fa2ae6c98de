# fault: regression-targets-into-classification-loss
# cause_class: loss, labels
# family: regression
# split: tune
# twin: healthy/twins/ratings_bce.py
# star ratings, 0.5 .. 5
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

users, items = torch.randn(60, 6), torch.randn(80, 6)
u = torch.randint(60, (3000,))
v = torch.randint(80, (3000,))
stars = (2.75 + (users[u] * items[v]).sum(1) * 0.6).clamp(0.5, 5)


class Recommender(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.user = nn.Embedding(60, dim)
        self.item = nn.Embedding(80, dim)
        self.out = nn.Linear(dim, 1)
        nn.init.normal_(self.user.weight, std=0.3)
        nn.init.normal_(self.item.weight, std=0.3)

    def forward(self, u, v):
        return self.out(self.user(u) * self.item(v)).squeeze(1)


rec = Recommender()
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(rec.parameters(), lr=0.02)
for epoch in range(7):
    for idx in torch.randperm(3000).split(60):
        opt.zero_grad()
        loss = loss_fn(rec(u[idx], v[idx]), stars[idx])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
