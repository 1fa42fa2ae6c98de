# fault: layers-not-registered
# cause_class: not-updated, structure, optimizer
# family: graph
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def sbm(sizes=(70, 70, 70, 70), p=0.12, q=0.01):
    y = torch.cat([torch.full((s,), i) for i, s in enumerate(sizes)])
    prob = torch.where(y[:, None] == y[None], p, q)
    a = (torch.rand(len(y), len(y)) < prob).float().triu(1)
    a = a + a.t() + torch.eye(len(y))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None], y


class GraphConv(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin = nn.Linear(a, b)

    def forward(self, adj, h):
        return adj @ self.lin(h)


class GCN(nn.Module):
    def __init__(self, dims, classes):
        super().__init__()
        self.convs = [GraphConv(a, b) for a, b in zip(dims[:-1], dims[1:])]
        self.norm = nn.LayerNorm(dims[-1])
        self.readout = nn.Linear(dims[-1], classes)

    def forward(self, adj, x):
        for conv in self.convs:
            x = torch.relu(conv(adj, x))
        return self.readout(self.norm(x))


adj, y = sbm()
n = len(y)
x = torch.randn(n, 32) * 0.8
x[torch.arange(n), y * 3] += 0.6
order = torch.randperm(n)
train, test = order[:120], order[120:]
net = GCN([32, 48, 6], 4)
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(300):
    net.train()
    out = net(adj, x)
    loss = nn.functional.cross_entropy(out[train], y[train])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 50 == 49:
        net.eval()
        with torch.no_grad():
            acc = (net(adj, x)[test].argmax(1) == y[test]).float().mean()
        print(f"epoch {epoch + 1} loss {loss.item():.4f} test acc {acc:.3f}")
