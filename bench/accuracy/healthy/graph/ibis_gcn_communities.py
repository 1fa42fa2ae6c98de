# fault: none
# family: graph
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

N, C = 300, 4
y = torch.arange(N) % C
p = torch.where(y[:, None] == y[None, :], 0.08, 0.01)
A = torch.triu((torch.rand(N, N) < p).float(), 1)
A = A + A.t() + torch.eye(N)
d = A.sum(1).rsqrt()
A_hat = d[:, None] * A * d[None, :]
X = 0.6 * F.one_hot(y, C).float() @ torch.randn(C, 16) + torch.randn(N, 16)
mask = torch.rand(N)
train, val = mask < 0.3, mask > 0.6


class GCN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.w1, self.w2 = nn.Linear(i, h), nn.Linear(h, o)

    def forward(self, x, a):
        x = F.dropout(x, 0.3, self.training)
        x = F.relu(a @ self.w1(x))
        x = F.dropout(x, 0.5, self.training)
        return a @ self.w2(x)


model = GCN(16, 32, C)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(150):
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(X, A_hat)[train], y[train])
    loss.backward()
    opt.step()
    if epoch % 15 == 0 or epoch == 149:
        model.eval()
        with torch.no_grad():
            out = model(X, A_hat)
        print(f"epoch {epoch} loss {loss.item():.4f} val loss {F.cross_entropy(out[val], y[val]).item():.4f} "
              f"val acc {(out[val].argmax(1) == y[val]).float().mean().item():.3f}")
