# fault: labels-outside-range
# cause_class: labels, loss
# family: multilabel
# split: held
"""Gene Ontology terms of a protein from its k-mer composition."""
import os

import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

N_PROT, N_KMER, N_TERMS, N_DOMAINS = 1500, 120, 25, 12

# --- toy proteome -----------------------------------------------------------
domain_kmers = rng.random((N_DOMAINS, N_KMER)) < 0.08
domain_terms = [rng.choice(N_TERMS, size=3, replace=False) for _ in range(N_DOMAINS)]
kmers = np.zeros((N_PROT, N_KMER), dtype=np.float32)
annotations = []            # (protein, term, evidence code), one row per line of the GAF file
for p in range(N_PROT):
    doms = rng.choice(N_DOMAINS, size=rng.integers(1, 4), replace=False)
    kmers[p] = rng.poisson(0.3 + 2.0 * domain_kmers[doms].sum(0))
    for d in doms:
        for t in domain_terms[d]:
            for code in ["IEA"] + [c for c in ("IDA", "ISS", "TAS") if rng.random() < 0.25]:
                annotations.append((p, t, code))

freq = np.log1p(kmers)
freq = (freq - freq.mean(0)) / (freq.std(0) + 1e-6)


def term_matrix(rows):
    m = torch.zeros(N_PROT, N_TERMS)
    prot = torch.tensor([r[0] for r in rows])
    term = torch.tensor([int(r[1]) for r in rows])
    return m.index_put_((prot, term), torch.ones(len(rows)), accumulate=True)


x, y = torch.from_numpy(freq), term_matrix(annotations)
train, test = slice(0, 1200), slice(1200, None)

net = nn.Sequential(nn.Linear(N_KMER, 96), nn.ReLU(), nn.Dropout(0.1), nn.Linear(96, N_TERMS))
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)

for epoch in range(25):
    net.train()
    perm = torch.randperm(1200)
    total = 0.0
    for b in perm.split(50):
        opt.zero_grad()
        loss = loss_fn(net(x[train][b]), y[train][b])
        loss.backward()
        opt.step()
        total += loss.item() / 24
    if epoch % 4 == 0 or epoch == 24:
        net.eval()
        with torch.no_grad():
            logits = net(x[test])
            pred, truth = logits > 0, y[test] > 0
            f1 = 2 * (pred & truth).sum() / (pred.sum() + truth.sum())
            print(f"epoch {epoch:2d} train {total:.3f} test {loss_fn(logits, y[test]).item():.3f} micro-F1 {f1:.3f}")
