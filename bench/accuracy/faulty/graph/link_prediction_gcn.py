# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: graph
# split: tune
"""Link prediction on a stochastic block model, GCN written by hand."""
import argparse
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--nodes", type=int, default=120)
parser.add_argument("--blocks", type=int, default=4)
parser.add_argument("--hidden", type=int, default=32)
parser.add_argument("--lr", type=float, default=1e-2)
parser.add_argument("--epochs", type=int, default=300)
parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")))
args = parser.parse_args([])
torch.manual_seed(args.seed)


def sbm(n, k, p_in=0.4, p_out=0.02):
    z = torch.arange(n) % k
    p = torch.where(z[:, None] == z[None, :], p_in, p_out)
    upper = torch.triu((torch.rand(n, n) < p).float(), 1)
    return upper + upper.t(), z


def normalise(a):
    a = a + torch.eye(len(a))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None, :]


class GCNLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, a, h):
        return a @ self.lin(h)


class LinkPredictor(nn.Module):
    def __init__(self, f, h):
        super().__init__()
        self.g1, self.g2 = GCNLayer(f, h), GCNLayer(h, h)
        self.bias = nn.Parameter(torch.zeros(1))

    def encode(self, a, x):
        return self.g2(a, F.relu(self.g1(a, x)))

    def decode(self, z, pairs):
        s = (z[pairs[0]] * z[pairs[1]]).sum(-1) + self.bias
        return torch.sigmoid(s)

    def forward(self, a, x, pairs):
        return self.decode(self.encode(a, x), pairs)


A, Z = sbm(args.nodes, args.blocks)
X = torch.randn(args.nodes, 24)
X[:, :4] += 0.7 * F.one_hot(Z, 4)
edges = torch.triu(A, 1).nonzero().t()
edges = edges[:, torch.randperm(edges.shape[1])]
n_val = edges.shape[1] // 5
val_e, tr_e = edges[:, :n_val], edges[:, n_val:]
A_tr = torch.zeros_like(A)
A_tr[tr_e[0], tr_e[1]] = 1
A_hat = normalise(A_tr + A_tr.t())


def negatives(n):
    p = torch.randint(0, args.nodes, (2, 4 * n))
    ok = (A[p[0], p[1]] == 0) & (p[0] != p[1])
    return p[:, ok][:, :n]


val_n = negatives(n_val)
net = LinkPredictor(24, args.hidden)
opt = torch.optim.Adam(net.parameters(), lr=args.lr, weight_decay=1e-4)
for epoch in range(args.epochs):
    neg = negatives(tr_e.shape[1])
    pairs = torch.cat([tr_e, neg], 1)
    label = torch.cat([torch.ones(tr_e.shape[1]), torch.zeros(neg.shape[1])])
    loss = F.binary_cross_entropy_with_logits(net(A_hat, X, pairs), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 30 == 0:
        with torch.no_grad():
            z = net.encode(A_hat, X)
            auc = (net.decode(z, val_e)[:, None] > net.decode(z, val_n)[None, :]).float().mean()
        print(f"epoch {epoch} loss {loss.item():.4f} val auc {auc.item():.3f}")
