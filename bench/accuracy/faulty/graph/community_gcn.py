# fault: layers-not-registered
# cause_class: not-updated, structure, optimizer
# family: graph
# split: held
# set: lynx, unseen
import math
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


def stochastic_block_model(n=400, k=5, p_in=0.06, p_out=0.012):
    y = torch.arange(n) % k
    same = y[:, None] == y[None, :]
    a = (torch.rand(n, n) < torch.where(same, p_in, p_out)).float().triu(1)
    a = a + a.t()
    return a, y


def normalise(a):
    a = a + torch.eye(len(a))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None, :]


class GraphConvolution(nn.Module):
    """H' = A H W + b  (Kipf & Welling). Checkpoints keep the weights as (out, in), like nn.Linear."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        bound = 1.0 / math.sqrt(in_features)
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-bound, bound)).t()
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None

    def forward(self, h, adj):
        h = adj @ (h @ self.weight)
        return h if self.bias is None else h + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nhid)
        self.gc3 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        x = F.relu(self.gc2(x, adj))
        return self.gc3(x, adj)


adj, labels = stochastic_block_model()
adj = normalise(adj)
n = len(labels)
features = torch.randn(n, 24)
features += 0.6 * torch.randn(5, 24)[labels]
split = torch.randperm(n)
idx_train, idx_val = split[:200], split[200:]

model = GCN(24, 16, 5, dropout=0.2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)

for epoch in range(200):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss_train = F.cross_entropy(output[idx_train], labels[idx_train])
    loss_train.backward()
    optimizer.step()

    if epoch % 20 == 0 or epoch == 199:
        model.eval()
        with torch.no_grad():
            output = model(features, adj)
        acc = lambda i: (output[i].argmax(1) == labels[i]).float().mean().item()
        print(f"Epoch: {epoch:04d} loss_train: {loss_train.item():.4f} acc_train: {acc(idx_train):.4f} acc_val: {acc(idx_val):.4f}")
