# fault: not-finite
# cause_class: non-finite, data-scaling, data-loading
# family: clinical
# split: held
# 24h labs -> sepsis within the next shift?   (synthetic stand-in for the hospital export)
import os
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

cols = dict(lactate=0, crp=1, wbc=2, platelets=3, creatinine=4, temp=5, hr=6, map=7)
N = 4000
risk = np.random.randn(N)
tab = np.zeros((N, 8))
tab[:, 0] = np.exp(0.3 + 0.45 * risk + 0.3 * np.random.randn(N))
tab[:, 1] = np.exp(2.0 + 0.9 * risk + 0.8 * np.random.randn(N))
tab[:, 2] = np.exp(2.1 + 0.25 * risk + 0.3 * np.random.randn(N))
tab[:, 3] = np.exp(5.4 - 0.25 * risk + 0.3 * np.random.randn(N))
tab[:, 4] = np.exp(-0.1 + 0.3 * risk + 0.3 * np.random.randn(N))
tab[:, 5] = 37.1 + 0.6 * risk + 0.5 * np.random.randn(N)
tab[:, 6] = 84 + 11 * risk + 11 * np.random.randn(N)
tab[:, 7] = 82 - 7 * risk + 9 * np.random.randn(N)
tab[:, 1] = np.where(tab[:, 1] < 0.5, 0.0, tab[:, 1])           # lab reports 0 below the detection limit
label = (risk + 0.3 * np.random.randn(N) > 0.4).astype(np.float32)

skewed = [cols[c] for c in ("lactate", "crp", "wbc", "platelets", "creatinine")]
plain = [cols[c] for c in ("temp", "hr", "map")]


class Preproc(nn.Module):
    """goes into the exported model, so the ward system can feed raw values"""

    def __init__(self, sample):
        super().__init__()
        self.register_buffer("median", torch.tensor(np.median(sample, 0), dtype=torch.float32))
        self.register_buffer("iqr", torch.tensor(np.subtract(*np.percentile(sample, [75, 25], axis=0)), dtype=torch.float32))

    def forward(self, x):
        lab = torch.log(x[:, skewed] / self.median[skewed])
        vit = (x[:, plain] - self.median[plain]) / self.iqr[plain]
        return torch.cat([lab, vit], 1)


class Risk(nn.Module):
    def __init__(self, pre):
        super().__init__()
        self.pre = pre
        self.mlp = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.mlp(self.pre(x)).squeeze(-1)


def auc(score, y):
    order = score.argsort()
    rank = torch.empty(len(y)); rank[order] = torch.arange(1, len(y) + 1).float()
    npos = y.sum()
    return ((rank[y == 1].sum() - npos * (npos + 1) / 2) / (npos * (len(y) - npos))).item()


X, Y = torch.tensor(tab, dtype=torch.float32), torch.tensor(label)
train = DataLoader(TensorDataset(X[:3000], Y[:3000]), batch_size=50, shuffle=True)
model = Risk(Preproc(tab[:3000]))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
for epoch in range(8):
    model.train()
    tot = 0.0
    for x, y in train:
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        s = model(X[3000:])
    print(f"epoch {epoch} loss {tot / len(train):.4f} val auc {auc(s, Y[3000:]):.3f} acc {((s > 0).float() == Y[3000:]).float().mean():.3f}")
