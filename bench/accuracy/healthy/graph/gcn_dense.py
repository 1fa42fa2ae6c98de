# fault: none
# family: graph
# split: tune
# Graph convolution on one dense adjacency: the same full batch each step, loss on the few labelled nodes only.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

N, C = 150, 3
block = torch.arange(N) % C
p = torch.where(block[:, None] == block[None], 0.12, 0.015)
A = torch.bernoulli(p).triu(1)
A = A + A.T + torch.eye(N)
d = A.sum(1).rsqrt()
A_hat = d[:, None] * A * d[None]
X = torch.eye(N)  # no features
train_mask = torch.zeros(N, dtype=torch.bool)
train_mask[:30] = True


class GCN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.w1, self.w2 = nn.Linear(i, h, bias=False), nn.Linear(h, o)

    def forward(self, a, x):
        x = F.dropout(F.relu(a @ self.w1(x)), 0.5, self.training)
        return a @ self.w2(x)


net = GCN(N, 16, C)
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
hist = []
for epoch in range(150):
    net.train()
    opt.zero_grad()
    loss = F.cross_entropy(net(A_hat, X)[train_mask], block[train_mask])
    loss.backward()
    opt.step()
    hist.append(loss.item())
net.eval()
with torch.no_grad():
    print("accuracy of the others", (net(A_hat, X).argmax(1) == block)[~train_mask].float().mean().item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
