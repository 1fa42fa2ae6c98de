# fault: none
# family: embedding
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
nu, ni = 80, 60
P, Q = torch.randn(nu, 4) * 0.6, torch.randn(ni, 4) * 0.6
u, i = torch.randint(nu, (4000,)), torch.randint(ni, (4000,))
r = ((P[u] * Q[i]).sum(1, keepdim=True) + 0.1 * torch.randn(4000, 1))


class MF(nn.Module):
    def __init__(self, k=8):
        super().__init__()
        self.U, self.I = nn.Embedding(nu, k), nn.Embedding(ni, k)
        self.U.weight.data.mul_(0.4)
        self.I.weight.data.mul_(0.4)

    def forward(self, u, i):
        return (self.U(u) * self.I(i)).sum(1)


mf = MF()
opt = torch.optim.Adam(mf.parameters(), lr=0.02)
for epoch in range(6):
    for b in torch.randperm(4000).split(100):
        err = mf(u[b], i[b]) - r[b, 0]
        loss = err.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
