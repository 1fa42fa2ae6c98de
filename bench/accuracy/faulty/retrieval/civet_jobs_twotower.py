# fault: loss-misused
# cause_class: loss
# family: retrieval
# split: held
"""Two-tower matcher: candidate skills <-> job ads, in-batch negatives."""
import argparse, os
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--dim", type=int, default=32)
ap.add_argument("--batch", type=int, default=96)
ap.add_argument("--steps", type=int, default=220)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--tau", type=float, default=0.07)
args = ap.parse_args([])

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

N, K, VOC_C, VOC_J = 3000, 30, 400, 400
topic_c = rng.dirichlet(np.full(VOC_C, 0.05), K)
topic_j = rng.dirichlet(np.full(VOC_J, 0.05), K)
theta = rng.dirichlet(np.full(K, 0.25), N)


def words(theta, topics, length):
    p = theta @ topics
    cum = p.cumsum(1)
    u = rng.random((len(p), length))
    return torch.tensor(np.stack([np.searchsorted(c / c[-1], x) for c, x in zip(cum, u)]))


cand, jobs = words(theta, topic_c, 30), words(theta, topic_j, 40)
test = slice(2600, 3000)


class Tower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, 64, mode="mean")
        self.mlp = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 128), nn.GELU(), nn.Linear(128, dim))

    def forward(self, ids):
        return F.normalize(self.mlp(self.bag(ids)), dim=-1)


left, right = Tower(VOC_C, args.dim), Tower(VOC_J, args.dim)
opt = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=args.lr)


def recall_at(k):
    left.eval(), right.eval()
    with torch.no_grad():
        sim = left(cand[test]) @ right(jobs[test]).T
        top = sim.topk(k, dim=1).indices
        r = (top == torch.arange(len(sim))[:, None]).any(1).float().mean().item()
    left.train(), right.train()
    return r


print(f"before: recall@10 {recall_at(10):.3f}")
for step in range(1, args.steps + 1):
    idx = torch.from_numpy(rng.integers(0, 2600, args.batch))
    logits = left(cand[idx]) @ right(jobs[idx]).T * args.tau
    target = torch.arange(args.batch)
    loss = 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 55 == 0:
        print(f"{step:4d}  loss {loss.item():.4f}  recall@1 {recall_at(1):.3f}  recall@10 {recall_at(10):.3f}")
