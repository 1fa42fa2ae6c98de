# fault: layers-not-registered
# cause_class: not-updated, structure
# family: gnn
# split: tune
"""Node classification on a random block graph with hand-written graph convolutions."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, K = 300, 5
block = torch.randint(0, K, (N,))
same = block[:, None] == block[None]
A = (torch.rand(N, N) < torch.where(same, 0.08, 0.02)).float().triu(1)
A = A + A.T + torch.eye(N)
deg = A.sum(1)
A_hat = A / (deg[:, None] * deg[None]).sqrt()
# each node sees a noisy, non-linear view of its group
angle = block.float() / K * 6.283
X = torch.stack([angle.cos(), angle.sin()], 1) @ torch.randn(2, 16) + 1.5 * torch.randn(N, 16)
train_mask = torch.rand(N) < 0.5


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, a, h):
        return a @ self.lin(h)


class GCN(nn.Module):
    def __init__(self, dims=(16, 6, 6), classes=K):
        super().__init__()
        self.convs = [GraphConv(i, o) for i, o in zip(dims[:-1], dims[1:])]
        self.readout = nn.Linear(dims[-1], classes)

    def forward(self, a, h):
        for conv in self.convs:
            h = F.relu(conv(a, h))
        return self.readout(h)


model = GCN()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for it in range(400):
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(A_hat, X)[train_mask], block[train_mask])
    loss.backward()
    opt.step()
    if it % 50 == 49:
        model.eval()
        with torch.no_grad():
            pred = model(A_hat, X).argmax(1)
        print(it + 1, f"loss {loss.item():.3f} train {(pred == block)[train_mask].float().mean():.3f} "
              f"test {(pred == block)[~train_mask].float().mean():.3f}")
