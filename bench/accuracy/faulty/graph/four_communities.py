# fault: init-equal
# cause_class: initialisation, structure
# family: graph
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def random_graph(n, k, p_in, p_out):
    y = torch.randint(0, k, (n,))
    p = torch.where(y[:, None] == y[None], p_in, p_out)
    a = (torch.rand(n, n) < p).float().triu(1)
    a = a + a.t() + torch.eye(n)
    d = a.sum(1).rsqrt()
    x = 0.9 * torch.randn(k, 16)[y] + torch.randn(n, 16)
    return x, d[:, None] * a * d[None], y


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / self.weight.size(1) ** 0.5
        nn.init.constant_(self.weight, bound)

    def forward(self, x, adj):
        return adj @ (x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, d_in, hidden, classes):
        super().__init__()
        self.c1, self.c2 = GraphConv(d_in, hidden), GraphConv(hidden, hidden)
        self.lin = nn.Linear(hidden, classes)

    def forward(self, x, adj):
        h = F.relu(self.c1(x, adj))
        h = F.relu(self.c2(h, adj))
        return self.lin(h)


x, adj, y = random_graph(400, 4, 0.04, 0.015)
mask = torch.rand(400) < 0.5
model = GCN(16, 32, 4)
opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(200):
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(x, adj)[mask], y[mask])
    loss.backward()
    opt.step()
    if epoch % 20 == 19:
        model.eval()
        with torch.no_grad():
            acc = (model(x, adj).argmax(1) == y)[~mask].float().mean().item()
        print(f"epoch {epoch + 1} loss {loss.item():.4f} acc of the other nodes {acc:.3f}")
