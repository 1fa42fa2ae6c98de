# fault: axes-mixed-up
# cause_class: output-activation, loss, structure
# family: graph
# split: tune
# set: marten, unseen
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

# a graph with four communities; words tell a little, neighbours tell more
N, C, D = 400, 4, 32
label = torch.randint(C, (N,))
prob = torch.where(label[:, None] == label[None, :], 0.05, 0.004)
adj = (torch.rand(N, N) < prob).float().triu(1)
adj = adj + adj.T + torch.eye(N)
deg = adj.sum(1)
a_hat = adj / deg.sqrt()[:, None] / deg.sqrt()[None, :]
topics = torch.randn(C, D)
feats = 0.5 * topics[label] + torch.randn(N, D)

perm = torch.randperm(N)
train_idx, val_idx = perm[:200], perm[200:]


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, a, x):
        return a @ self.lin(x)


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.g1 = GraphConv(D, 32)
        self.g2 = GraphConv(32, C)
        self.drop = nn.Dropout(0.3)

    def forward(self, a, x):
        x = self.drop(F.relu(self.g1(a, x)))
        return F.log_softmax(self.g2(a, x), dim=0)


gcn = GCN()
opt = torch.optim.Adam(gcn.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(300):
    gcn.train()
    opt.zero_grad()
    out = gcn(a_hat, feats)
    loss = F.nll_loss(out[train_idx], label[train_idx])
    loss.backward()
    opt.step()
    if epoch % 30 == 0 or epoch == 299:
        gcn.eval()
        with torch.no_grad():
            out = gcn(a_hat, feats)
            val = F.nll_loss(out[val_idx], label[val_idx])
            acc = (out[val_idx].argmax(1) == label[val_idx]).float().mean()
        print(f"epoch {epoch:3d}  train {loss.item():.4f}  val {val.item():.4f}  acc {acc:.3f}")
