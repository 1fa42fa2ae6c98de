# fault: none
# family: graph
# split: held
# node classification with a few labelled nodes, normalised adjacency written by hand
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, K = 300, 3
y = torch.arange(N) % K
prob = torch.where(y[:, None] == y[None], 0.10, 0.01)
A = torch.triu((torch.rand(N, N) < prob).float(), 1)
A = A + A.T + torch.eye(N)
d = A.sum(1).rsqrt()
S = d[:, None] * A * d[None]
X = F.one_hot(y, K).float() @ torch.randn(K, 16) * 0.6 + torch.randn(N, 16)
perm = torch.randperm(N)
tr, va = perm[:90], perm[90:]


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w2 = nn.Linear(16, 16), nn.Linear(16, K)

    def forward(self, x):
        x = F.dropout(F.relu(self.w1(S @ x)), 0.5, self.training)
        return self.w2(S @ x)


net = GCN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=5e-3)
for step in range(1, 401):
    net.train()
    loss = F.cross_entropy(net(X)[tr], y[tr])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        net.eval()
        with torch.no_grad():
            o = net(X)[va]
        print(f"step {step} train {loss.item():.4f} val {F.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean().item():.3f}")
