# fault: none
# family: graph
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
n, k = 150, 5
group = torch.arange(n) % k
prob = torch.where(group[:, None] == group[None], 0.35, 0.015)
adj = torch.triu((torch.rand(n, n) < prob).float(), 1)
adj = adj + adj.t()
feat = torch.randn(n, 20)
feat[:, :k] += F.one_hot(group, k)

e = torch.triu(adj, 1).nonzero()
e = e[torch.randperm(len(e))]
hold = len(e) // 6
test_e, train_e = e[:hold], e[hold:]
A = torch.zeros(n, n)
A[train_e[:, 0], train_e[:, 1]] = 1
A = A + A.t()
MEAN = A / A.sum(1, keepdim=True).clamp(min=1)


class Sage(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.nb = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, h):
        return self.own(h) + self.nb(MEAN @ h)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.s1, self.s2 = Sage(20, 32), Sage(32, 16)
        self.drop = nn.Dropout(0.3)
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self):
        return self.s2(self.drop(torch.relu(self.s1(feat))))

    def score(self, z, pairs):
        return (z[pairs[:, 0]] * z[pairs[:, 1]]).sum(1) + self.b


def non_edges(m):
    p = torch.randint(0, n, (3 * m, 2))
    return p[(adj[p[:, 0], p[:, 1]] == 0) & (p[:, 0] != p[:, 1])][:m]


neg_test = non_edges(hold)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-3)
for ep in range(201):
    net.train()
    neg = non_edges(len(train_e))
    z = net()
    logit = torch.cat([net.score(z, train_e), net.score(z, neg)])
    lab = torch.cat([torch.ones(len(train_e)), torch.zeros(len(neg))])
    loss = F.binary_cross_entropy_with_logits(logit, lab)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if ep % 25 == 0:
        net.eval()
        with torch.no_grad():
            z = net()
            prob_pos = torch.sigmoid(net.score(z, test_e))
            prob_neg = torch.sigmoid(net.score(z, neg_test))
        print(f"{ep} loss {loss.item():.4f} auc {(prob_pos[:, None] > prob_neg).float().mean().item():.3f}")
