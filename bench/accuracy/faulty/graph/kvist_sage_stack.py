# fault: layers-not-registered
# cause_class: not-updated, structure, optimizer
# family: graph
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, K, FEATS = 240, 4, 12

label = torch.arange(N) % K
prob = torch.where(label[:, None] == label[None], 0.03, 0.012)
adj = (torch.rand(N, N) < prob).float().triu(1)
adj = adj + adj.t()
feat = torch.randn(N, FEATS)
feat[:, :8] += 1.0 * F.one_hot(label, K).float() @ torch.randn(K, 8).sign()
mean_adj = adj / adj.sum(1, keepdim=True).clamp(min=1)
perm = torch.randperm(N)
train_idx, test_idx = perm[:160], perm[160:]


class SageLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.neigh = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, h, a):
        return self.own(h) + self.neigh(a @ h)


class GraphSage(nn.Module):
    def __init__(self, dims, classes):
        super().__init__()
        self.convs = {f"conv{i}": SageLayer(a, b) for i, (a, b) in enumerate(zip(dims, dims[1:]))}
        self.norm = nn.LayerNorm(dims[-1])
        self.classify = nn.Linear(dims[-1], classes)

    def forward(self, h, a):
        for conv in self.convs.values():
            h = F.relu(conv(h, a))
        return self.classify(self.norm(h))


model = GraphSage([FEATS, 32, 8], K)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(1, 301):
    loss = F.cross_entropy(model(feat, mean_adj)[train_idx], label[train_idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 50 == 0:
        with torch.no_grad():
            acc = (model(feat, mean_adj)[test_idx].argmax(1) == label[test_idx]).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.4f} test acc {acc:.3f}")
