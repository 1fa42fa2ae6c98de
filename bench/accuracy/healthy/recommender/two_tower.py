# fault: none
# family: recommender
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
g = torch.Generator().manual_seed(seed)
torch.manual_seed(seed)

# users with a profile, articles with a topic vector; a click happens on similar topics
topics = F.normalize(torch.randn(300, 10, generator=g), dim=1)
project = torch.randn(10, 24, generator=g) / 10 ** 0.5


def clicks(n):
    interest = F.normalize(torch.randn(n, 10, generator=g), dim=1)
    p = (interest @ topics.T * 12).softmax(1)
    item = torch.multinomial(p, 1, generator=g).squeeze(1)
    return interest @ project * 3 + 0.1 * torch.randn(n, 24, generator=g), item


class TwoTower(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.user = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, d))
        self.item = nn.Embedding(300, d)
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def scores(self, x, items):
        return self.log_scale.exp() * F.normalize(self.user(x), dim=1) @ F.normalize(self.item(items), dim=1).T


x, item = clicks(4000)
xt, it = clicks(500)
net = TwoTower()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(8):
    run = 0
    for idx in torch.randperm(4000).split(125):
        s = net.scores(x[idx], item[idx])
        # items that occur twice in the batch are no negatives of each other
        dup = (item[idx][:, None] == item[idx][None]) & ~torch.eye(len(idx), dtype=torch.bool)
        loss = F.cross_entropy(s.masked_fill(dup, -1e4), torch.arange(len(idx)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 32
    with torch.no_grad():
        rank = net.scores(xt, torch.arange(300)).topk(20, 1).indices
        print(epoch, f"loss {run:.4f} recall@20 {(rank == it[:, None]).any(1).float().mean():.3f}")
