# fault: not-finite
# cause_class: non-finite, loss
# family: chemistry
# split: held
"""Siamese fingerprint encoder: molecules with the same scaffold should be close.

Contrastive loss of Hadsell et al. with margin 1. Pairs come from the assay list, where
a compound may have been measured twice.
"""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
N_SCAF, BITS, PER = 25, 128, 40

scaffold = (torch.rand(N_SCAF, BITS) < 0.2).float()
scaf = torch.arange(N_SCAF).repeat_interleave(PER)
fp = scaffold[scaf].clone()
noise = torch.rand(fp.shape)
fp = torch.where(noise < 0.12, 1 - fp, fp)
held_out = torch.zeros(len(scaf), dtype=torch.bool)
held_out[::5] = True
train_idx = torch.nonzero(~held_out).flatten()

encoder = nn.Sequential(nn.Linear(BITS, 96), nn.ELU(), nn.Linear(96, 96), nn.ELU(), nn.Linear(96, 12))


def distance(a, b):
    return torch.sqrt(((a - b) ** 2).sum(-1))


def sample_pairs(n):
    i = train_idx[torch.randint(len(train_idx), (n,))]
    same = torch.rand(n) < 0.5
    j = train_idx[torch.randint(len(train_idx), (n,))]
    partner = (i // PER) * PER + torch.randint(PER, (n,))
    ok = ~held_out[partner]
    j = torch.where(same & ok, partner, j)
    return i, j, (scaf[i] == scaf[j]).float()


def contrastive(d, same, margin=1.0):
    return (same * d ** 2 + (1 - same) * (margin - d).clamp(min=0) ** 2).mean()


@torch.no_grad()
def knn_accuracy():
    z = encoder(fp)
    d = torch.cdist(z[held_out], z[~held_out])
    return (scaf[~held_out][d.argmin(1)] == scaf[held_out]).float().mean().item()


opt = torch.optim.Adam(encoder.parameters(), lr=1e-3)
print(f"untrained: nearest neighbour accuracy {knn_accuracy():.3f}")
for it in range(1, 601):
    i, j, same = sample_pairs(64)
    loss = contrastive(distance(encoder(fp[i]), encoder(fp[j])), same)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(f"{it:4d} loss {loss.item():.4f} 1-nn {knn_accuracy():.3f}")
