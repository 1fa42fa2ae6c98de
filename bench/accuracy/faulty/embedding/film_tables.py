# fault: init-equal
# cause_class: initialisation
# family: embedding
# split: tune
# twin: healthy/embedding/film_tables.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

U, M, D = 60, 50, 6
true_u, true_m = torch.randn(U, D), torch.randn(M, D)


def batch(n=128):
    u, m = torch.randint(U, (n,)), torch.randint(M, (n,))
    return u, m, (true_u[u] * true_m[m]).sum(1) / D ** 0.5 + 0.1 * torch.randn(n)


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Embedding(U, 12)
        self.m = nn.Embedding(M, 12)
        for table in (self.u, self.m):
            nn.init.constant_(table.weight, 0.1)

    def forward(self, u, m):
        return (self.u(u) * self.m(m)).sum(1)


net = Factors()
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for i in range(300):
    u, m, r = batch()
    loss = F.mse_loss(net(u, m), r)
    opt.zero_grad()
    loss.backward()
    opt.step()
