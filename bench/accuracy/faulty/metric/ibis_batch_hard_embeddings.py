# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: held
import os

import numpy as np
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed)
torch.manual_seed(seed)


class PKSampler:
    """P identities with K images each, as in Hermans et al."""

    def __init__(self, labels, p, k, steps):
        self.by_id = {int(c): np.where(labels == c)[0] for c in np.unique(labels)}
        self.p, self.k, self.steps = p, k, steps

    def __iter__(self):
        for _ in range(self.steps):
            ids = np.random.choice(list(self.by_id), self.p, replace=False)
            yield np.concatenate([np.random.choice(self.by_id[i], self.k, replace=False) for i in ids])


def pairwise_distances(emb):
    diff = emb.unsqueeze(0) - emb.unsqueeze(1)
    return torch.sqrt((diff ** 2).sum(dim=-1))


class BatchHardTriplet(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, emb, labels):
        dist = pairwise_distances(emb)
        same = labels[:, None] == labels[None, :]
        hardest_pos = (dist * same.float()).max(dim=1)[0]
        biggest = dist.max(dim=1, keepdim=True)[0]
        hardest_neg = (dist + biggest * same.float()).min(dim=1)[0]
        return torch.relu(hardest_pos - hardest_neg + self.margin).mean()


def make_people(n_id=20, per=30, dim=40):
    centres = np.random.randn(n_id, 12)
    mix = np.random.randn(12, dim) / np.sqrt(12)
    labels = np.repeat(np.arange(n_id), per)
    z = centres[labels] + 0.6 * np.random.randn(len(labels), 12)
    return torch.tensor(np.tanh(z @ mix), dtype=torch.float32), labels


x, labels = make_people()
y = torch.tensor(labels)
net = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
criterion = BatchHardTriplet()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

for step, idx in enumerate(PKSampler(labels, 8, 4, 400)):
    idx = torch.as_tensor(idx)
    loss = criterion(net(x[idx]), y[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step:4d}  triplet loss {loss.item():.4f}")

net.eval()
with torch.no_grad():
    e = net(x)
    d = torch.cdist(e, e) + 1e6 * torch.eye(len(e))
    print("rank-1", (y[d.argmin(1)] == y).float().mean().item())
