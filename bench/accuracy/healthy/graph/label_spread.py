# fault: none
# family: graph
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, K = 300, 3
y = torch.randint(0, K, (N,))
prob = torch.where(y[:, None] == y[None], 0.06, 0.008)
edges = (torch.rand(N, N) < prob).triu(1).nonzero().t()
edges = torch.cat([edges, edges.flip(0), torch.arange(N).repeat(2, 1)], 1)
x = torch.randn(K, 12)[y] * 0.8 + torch.randn(N, 12)
few = torch.cat([(y == k).nonzero()[:10, 0] for k in range(K)])   # ten known labels per class
rest = torch.ones(N, dtype=torch.bool)
rest[few] = False


class SageLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.nb = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, h, e):
        src, dst = e
        agg = torch.zeros_like(h).index_add_(0, dst, h[src])
        deg = torch.bincount(dst, minlength=len(h)).clamp(min=1)[:, None]
        return self.own(h) + self.nb(agg / deg)


class Sage(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = SageLayer(12, 24), SageLayer(24, K)

    def forward(self, h, e):
        h = F.dropout(F.relu(self.a(F.dropout(h, 0.2, self.training), e)), 0.4, self.training)
        return self.b(h, e)


net = Sage()
opt = torch.optim.Adam(net.parameters(), lr=1e-2, weight_decay=5e-3)
best = (0.0, 0)
for epoch in range(150):
    net.train()
    loss = F.cross_entropy(net(x, edges)[few], y[few])
    opt.zero_grad()
    loss.backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        acc = (net(x, edges).argmax(1) == y)[rest].float().mean().item()
    best = max(best, (acc, epoch))
    if epoch % 15 == 14:
        print(f"{epoch + 1} loss {loss.item():.4f} acc {acc:.3f} best {best[0]:.3f}")
