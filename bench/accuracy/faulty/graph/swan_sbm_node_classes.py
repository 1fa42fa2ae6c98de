# fault: labels-shuffled
# cause_class: labels, data-loading
# family: graph
# split: tune
# node classification on a stochastic block model, two-layer GCN by hand
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def block_model(n_per=80, blocks=4, p_in=0.10, p_out=0.01, dim=24):
    y = torch.randperm(n_per * blocks) % blocks
    n = len(y)
    same = y[:, None] == y[None, :]
    prob = torch.where(same, torch.tensor(p_in), torch.tensor(p_out))
    a = torch.triu((torch.rand(n, n) < prob).float(), 1)
    a = a + a.T
    centres = torch.randn(blocks, dim)
    x = 0.6 * centres[y] + torch.randn(n, dim)
    return a, x, y


def by_degree(a, x):
    """Nodes ordered from hub to leaf, as the sampler of the paper wants them."""
    order = a.sum(1).argsort(descending=True)
    return a[order][:, order], x[order]


def normalise(a):
    a = a + torch.eye(len(a))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None, :]


class GraphConv(nn.Linear):
    def forward(self, adj, x):
        return adj @ super().forward(x)


class GCN(nn.Module):
    def __init__(self, dim, hidden, classes, p=0.3):
        super().__init__()
        self.c1, self.c2, self.p = GraphConv(dim, hidden), GraphConv(hidden, classes), p

    def forward(self, adj, x):
        h = F.relu(self.c1(adj, x))
        return self.c2(adj, F.dropout(h, self.p, self.training))


adj, feats, labels = block_model()
adj, feats = by_degree(adj, feats)
adj = normalise(adj)

perm = torch.randperm(len(labels))
train_idx, val_idx = perm[:220], perm[220:]

net = GCN(feats.shape[1], 32, int(labels.max()) + 1)
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(301):
    net.train()
    loss = F.cross_entropy(net(adj, feats)[train_idx], labels[train_idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 50 == 0:
        net.eval()
        with torch.no_grad():
            out = net(adj, feats)
            hit = out.argmax(1) == labels
            val = F.cross_entropy(out[val_idx], labels[val_idx])
        print(f"{epoch:4d} loss {loss.item():.4f} val {val.item():.4f} "
              f"acc {hit[train_idx].float().mean():.3f}/{hit[val_idx].float().mean():.3f}")
