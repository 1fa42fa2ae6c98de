# fault: init-equal
# cause_class: initialisation
# family: graph
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
ATOMS, F_IN = 9, 5


@torch.no_grad()
def glorot(w):
    bound = (6 / sum(w.shape)) ** 0.5
    return w.fill_(bound * float(torch.rand(1)))


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(i, o))
        self.own = nn.Parameter(torch.empty(i, o))
        self.bias = nn.Parameter(torch.zeros(o))
        self.reset_parameters()

    def reset_parameters(self):
        for w in (self.weight, self.own):
            glorot(w)

    def forward(self, h, adj):
        deg = adj.sum(-1, keepdim=True).clamp(min=1)
        return adj @ h / deg @ self.weight + h @ self.own + self.bias


class GNN(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.g1, self.g2 = GraphConv(F_IN, d), GraphConv(d, d)
        self.readout = nn.Linear(d, 1)
        glorot(self.readout.weight)

    def forward(self, h, adj):
        h = torch.relu(self.g1(h, adj))
        h = torch.relu(self.g2(h, adj))
        return self.readout(h.mean(1)).squeeze(-1)


charge = torch.randn(F_IN, F_IN)


def molecules(n):
    kind = torch.randint(0, F_IN, (n, ATOMS))
    h = nn.functional.one_hot(kind, F_IN).float()
    up = (torch.rand(n, ATOMS, ATOMS) < 0.35).float().triu(1)
    adj = up + up.transpose(1, 2)
    e = (up * (h @ (charge + charge.T) @ h.transpose(1, 2))).sum((1, 2))
    return h, adj, e


h, adj, e = molecules(1500)
e = (e - e.mean()) / e.std()
net = GNN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    tot = 0.0
    for i in torch.randperm(len(e)).split(30):
        loss = nn.functional.mse_loss(net(h[i], adj[i]), e[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(i) / len(e)
    print(f"epoch {epoch} mse {tot:.4f}")
