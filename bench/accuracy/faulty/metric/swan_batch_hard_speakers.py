# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: held
# speaker embeddings, batch-hard triplets with P x K sampling
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
SPEAKERS, DIM, P, K = 20, 30, 8, 4

voice = torch.randn(SPEAKERS, DIM)
nuisance = torch.randn(6, DIM)


def utterances(spk):
    style = torch.randn(len(spk), 6) @ nuisance
    return (voice[spk] + style + 0.3 * torch.randn(len(spk), DIM)) / 2.7


def pk_batch():
    spk = torch.randperm(SPEAKERS)[:P].repeat_interleave(K)
    return utterances(spk), spk


def pairwise_distances(e):
    sq = (e.unsqueeze(0) - e.unsqueeze(1)).pow(2).sum(-1)
    return torch.sqrt(sq)


class BatchHard(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, e, y):
        d = pairwise_distances(e)
        same = y[:, None] == y[None, :]
        hardest_pos = (d * same).max(1).values
        hardest_neg = (d + 1e3 * same).min(1).values
        return F.relu(hardest_pos - hardest_neg + self.margin).mean()


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(DIM, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 16))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


def recall_at_1(model):
    spk = torch.arange(SPEAKERS).repeat(5)
    with torch.no_grad():
        e = model(utterances(spk))
    sim = (e @ e.T).fill_diagonal_(-2)
    return (spk[sim.argmax(1)] == spk).float().mean().item()


model, crit = Embedder(), BatchHard()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for it in range(400):
    x, y = pk_batch()
    loss = crit(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 40 == 0:
        print(f"it {it} loss {loss.item():.4f} R@1 {recall_at_1(model):.3f}")
