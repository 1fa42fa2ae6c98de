# fault: none
# family: graph
# split: held
"""Two-layer GCN on one graph: every update sees the whole graph, the loss only the labelled nodes."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def block_graph(n=300, classes=4, words=60, p_in=0.06, p_out=0.006):
    y = torch.randint(0, classes, (n,))
    p = torch.where(y[:, None] == y[None], p_in, p_out)
    a = torch.bernoulli(p).triu(1)
    a = a + a.t() + torch.eye(n)
    d = a.sum(1).rsqrt()
    topic = torch.rand(classes, words) < 0.15
    x = (torch.rand(n, words) < torch.where(topic[y], 0.25, 0.03)).float()
    return x / x.sum(1, keepdim=True).clamp(min=1), (d[:, None] * a * d[None]).to_sparse(), y


class GCN(nn.Module):
    def __init__(self, n_in, n_out, hidden=16, p=0.4):
        super().__init__()
        self.w1, self.w2, self.p = nn.Linear(n_in, hidden, bias=False), nn.Linear(hidden, n_out), p

    def forward(self, x, a):
        h = F.relu(torch.sparse.mm(a, self.w1(F.dropout(x, self.p, self.training))))
        return torch.sparse.mm(a, self.w2(F.dropout(h, self.p, self.training)))


x, adj, y = block_graph()
order = torch.randperm(len(y))
train, valid, test = order[:80], order[80:140], order[140:]
model = GCN(x.shape[1], 4)
optimizer = torch.optim.Adam([{"params": model.w1.parameters(), "weight_decay": 5e-4}, {"params": model.w2.parameters()}], lr=1e-2)
best = (0.0, 0.0)
for epoch in range(151):
    model.train()
    loss = F.cross_entropy(model(x, adj)[train], y[train])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        hit = (model(x, adj).argmax(1) == y).float()
        vloss = F.cross_entropy(model(x, adj)[valid], y[valid])
    best = max(best, (hit[valid].mean().item(), hit[test].mean().item()))
    if epoch % 25 == 0:
        print(f"epoch {epoch} loss {loss.item():.4f} valid {vloss.item():.4f} acc train {hit[train].mean():.3f} valid {hit[valid].mean():.3f}")
print(f"test accuracy {best[1]:.3f}")
