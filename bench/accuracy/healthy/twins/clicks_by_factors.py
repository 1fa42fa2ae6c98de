# fault: none
# family: recsys
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
n_users, n_items, k = 150, 220, 12
tu, ti = torch.randn(n_users, 3), torch.randn(n_items, 3)
users, items = torch.randint(0, n_users, (8000,)), torch.randint(0, n_items, (8000,))
clicked = (torch.rand(8000) < torch.sigmoid(1.5 * (tu[users] * ti[items]).sum(1) - 1)).float()


class MatrixFactorisation(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Parameter(0.1 * torch.randn(n_users, k))
        self.i = nn.Parameter(0.1 * torch.randn(n_items, k))
        self.bu = nn.Parameter(torch.zeros(n_users))
        self.bi = nn.Parameter(torch.zeros(n_items))
        self.mu = nn.Parameter(torch.zeros(()))

    def forward(self, u, i):
        score = (self.u[u] * self.i[i]).sum(-1) + self.bu[u] + self.bi[i] + self.mu
        return score.sigmoid()


model = MatrixFactorisation()
opt = torch.optim.Adam(model.parameters(), lr=0.02)
criterion = nn.BCELoss()
for epoch in range(8):
    order = torch.randperm(7000)
    running = 0.0
    for b in order.split(200):
        opt.zero_grad()
        loss = criterion(model(users[b], items[b]), clicked[b])
        loss.backward()
        opt.step()
        running += loss.item()
    with torch.no_grad():
        p = model(users[7000:], items[7000:])
        hit = ((p > 0.5).float() == clicked[7000:]).float().mean()
    print(f"epoch {epoch}: loss {running / 35:.4f}, accuracy on the rest {hit:.3f}")
