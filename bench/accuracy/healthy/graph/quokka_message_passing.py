# fault: none
# family: graph
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
n, k = 300, 3
y = torch.randint(0, k, (n,))
a = (torch.rand(n, n) < torch.where(y[:, None] == y[None], 0.10, 0.015)).float().triu(1)
a = a + a.t() + torch.eye(n)
adj = a / a.sum(1, keepdim=True)
x = torch.randn(n, 20)
x[torch.arange(n), y] += 1.0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.s, self.l1, self.l2 = nn.Linear(20, 32), nn.Linear(20, 32), nn.Linear(32, k)

    def forward(self):
        h = F.dropout(F.relu(self.s(x) + adj @ self.l1(x)), 0.5, self.training)
        return adj @ self.l2(h)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
idx = torch.randperm(n)
tr, te = idx[:150], idx[150:]
for e in range(200):
    net.train()
    loss = F.cross_entropy(net()[tr], y[tr])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if e % 40 == 39:
        net.eval()
        with torch.no_grad():
            print(e + 1, f"{loss.item():.4f}", "acc %.3f" % (net()[te].argmax(1) == y[te]).float().mean())
