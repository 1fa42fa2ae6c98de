# fault: none
# family: graph
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, K = 300, 3
lab = torch.randint(0, K, (N,))
p = torch.where(lab[:, None] == lab[None], 0.05, 0.008)
a = (torch.rand(N, N) < p).float().triu(1)
a = a + a.t() + torch.eye(N)
d = a.sum(1).rsqrt()
A = (d[:, None] * a * d[None]).to_sparse()
X = torch.randn(N, 16)
X[:, :K] += 0.8 * F.one_hot(lab, K)
mask = torch.zeros(N, dtype=torch.bool)
mask[torch.randperm(N)[:90]] = True


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w2 = nn.Linear(16, 24), nn.Linear(24, K)

    def forward(self, x):
        h = F.relu(torch.sparse.mm(A, self.w1(x)))
        h = F.dropout(h, 0.4, self.training)
        return torch.sparse.mm(A, self.w2(h))


net = GCN()
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=2e-3)
for ep in range(1, 161):
    net.train()
    loss = F.cross_entropy(net(X)[mask], lab[mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if ep % 20 == 0:
        net.eval()
        with torch.no_grad():
            o = net(X)
        print(f"epoch {ep} loss {loss.item():.4f} other nodes {F.cross_entropy(o[~mask], lab[~mask]).item():.4f} acc {(o.argmax(1) == lab)[~mask].float().mean().item():.3f}")
