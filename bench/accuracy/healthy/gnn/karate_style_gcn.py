# fault: none
# family: gnn
# split: tune
"""Semi-supervised GCN: a handful of labelled nodes, the whole graph in every step, dropout and weight decay."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
n, k = 240, 4
group = torch.arange(n) % k
prob = torch.where(group[:, None] == group, 0.12, 0.012)
upper = torch.bernoulli(prob).triu(1)
adj = upper + upper.T + torch.eye(n)
norm = adj.sum(1).rsqrt()
adj = (norm[:, None] * adj * norm).to_sparse()
feats = torch.randn(k, 20)[group] * 0.5 + torch.randn(n, 20)
perm = torch.randperm(n)
labelled, val = perm[:48], perm[48:]


class GCN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.w1 = nn.Parameter(nn.init.xavier_uniform_(torch.empty(i, h)))
        self.w2 = nn.Parameter(nn.init.xavier_uniform_(torch.empty(h, o)))
        self.b1, self.b2 = nn.Parameter(torch.zeros(h)), nn.Parameter(torch.zeros(o))

    def forward(self, a, x):
        x = F.dropout(x, 0.4, self.training)
        x = F.relu(torch.sparse.mm(a, x @ self.w1) + self.b1)
        x = F.dropout(x, 0.4, self.training)
        return torch.sparse.mm(a, x @ self.w2) + self.b2


model = GCN(20, 16, k)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-3)
for epoch in range(1, 201):
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(adj, feats)[labelled], group[labelled])
    loss.backward()
    opt.step()
    if epoch % 25 == 0:
        model.eval()
        with torch.no_grad():
            out = model(adj, feats)
            print(f"epoch {epoch} loss {loss.item():.4f} train acc {(out.argmax(1) == group)[labelled].float().mean():.3f} "
                  f"val loss {F.cross_entropy(out[val], group[val]):.4f} acc {(out.argmax(1) == group)[val].float().mean():.3f}")
