# fault: detached-mid-network
# cause_class: not-updated, structure
# family: graph
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
ATOMS = 5


def molecule():
    n = int(torch.randint(6, 11, (1,)))
    kind = torch.randint(0, ATOMS, (n,))
    adj = torch.zeros(n, n)
    for i in range(1, n):
        j = int(torch.randint(0, i, (1,)))
        adj[i, j] = adj[j, i] = 1
    # energy of the bonds: like atoms repel, 0-1 and 2-3 attract
    a, b = kind.view(-1, 1), kind.view(1, -1)
    bond = (a == b).float() - ((a + b == 1) | (a + b == 5)).float()
    return kind, adj, (adj * bond).sum() / 2 / n ** 0.5


def collate(mols):
    kinds = torch.cat([m[0] for m in mols])
    adj = torch.block_diag(*[m[1] for m in mols])
    graph = torch.cat([torch.full((len(m[0]),), i) for i, m in enumerate(mols)])
    return kinds, adj, graph, torch.stack([m[2] for m in mols])


class MessagePassing(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.msg, self.upd = nn.Linear(d, d), nn.Linear(2 * d, d)

    def forward(self, h, adj):
        return h + F.relu(self.upd(torch.cat([h, adj @ F.relu(self.msg(h))], 1)))


class GNN(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.embed = nn.Embedding(ATOMS, d)
        self.layers = nn.ModuleList([MessagePassing(d) for _ in range(2)])
        self.head = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, 1))

    def readout(self, h, graph):
        pooled = [h[graph == g].sum(0).tolist() for g in range(int(graph.max()) + 1)]
        return torch.tensor(pooled) / 3

    def forward(self, kinds, adj, graph):
        h = self.embed(kinds)
        for layer in self.layers:
            h = layer(h, adj)
        return self.head(self.readout(h, graph)).squeeze(1)


mols = [molecule() for _ in range(900)]
mean = torch.stack([m[2] for m in mols]).mean()
std = torch.stack([m[2] for m in mols]).std()
mols = [(k, a, (e - mean) / std) for k, a, e in mols]
train, test = mols[:750], collate(mols[750:])
net = GNN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(16):
    order = torch.randperm(len(train)).tolist()
    tot = 0
    for s in range(0, len(train), 30):
        kinds, adj, graph, y = collate([train[i] for i in order[s:s + 30]])
        opt.zero_grad()
        loss = F.mse_loss(net(kinds, adj, graph), y)
        loss.backward()
        opt.step()
        tot += loss.item() / 25
    if epoch % 3 == 0:
        net.eval()
        with torch.no_grad():
            print(epoch, "train", round(tot, 3), "test", round(F.mse_loss(net(*test[:3]), test[3]).item(), 3))
        net.train()
