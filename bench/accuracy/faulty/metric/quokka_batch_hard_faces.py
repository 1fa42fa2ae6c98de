# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)

N_IDS, PER_ID, DIM = 40, 12, 48


def make_identities():
    centres = torch.randn(N_IDS, DIM)
    x = centres[:, None] + 0.6 * torch.randn(N_IDS, PER_ID, DIM)
    y = torch.arange(N_IDS)[:, None].expand(N_IDS, PER_ID)
    return x.reshape(-1, DIM), y.reshape(-1)


class PKSampler:
    """P identities with K pictures each."""

    def __init__(self, labels, p=8, k=4):
        self.by_id = [torch.nonzero(labels == i).flatten() for i in range(N_IDS)]
        self.p, self.k = p, k

    def draw(self):
        out = []
        for i in torch.randperm(N_IDS)[: self.p]:
            rows = self.by_id[i]
            out.append(rows[torch.randperm(len(rows))[: self.k]])
        return torch.cat(out)


def pairwise(e):
    return (e[:, None] - e[None, :]).pow(2).sum(-1).sqrt()


class BatchHardTriplet(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, e, y):
        d = pairwise(e)
        same = y[:, None] == y[None, :]
        hardest_pos = (d * same).amax(1)
        weight = same.float() / same.sum(1, keepdim=True)
        mean_pos = (d * weight).sum(1)
        hardest_neg = d.masked_fill(same, 1e6).amin(1)
        return F.relu(0.5 * hardest_pos + 0.5 * mean_pos - hardest_neg + self.margin).mean()


x, y = make_identities()
sampler = PKSampler(y)
net = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 16))
crit = BatchHardTriplet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(300):
    rows = sampler.draw()
    loss = crit(F.normalize(net(x[rows]), dim=1), y[rows])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == 299:
        print(f"step {step:4d} triplet {loss.item():.4f}")
