# fault: weight-decay-too-strong
# cause_class: regularisation, optimizer
# family: ads
# split: held
import os, time
import numpy as np
import torch, torch.nn as nn

class DeepFM(nn.Module):
    def __init__(self, field_dims, k=8, mlp=(64, 32)):
        super().__init__()
        self.register_buffer("offset", torch.tensor([0, *np.cumsum(field_dims)[:-1]]))
        total = int(sum(field_dims))
        self.bias = nn.Parameter(torch.zeros(1))
        self.w = nn.Embedding(total, 1)
        self.v = nn.Embedding(total, k)
        nn.init.zeros_(self.w.weight); nn.init.xavier_uniform_(self.v.weight)
        dims = [len(field_dims) * k, *mlp]
        seq = []
        for a, b in zip(dims, dims[1:]):
            seq += [nn.Linear(a, b), nn.ReLU()]
        self.deep = nn.Sequential(*seq, nn.Linear(dims[-1], 1))
    def forward(self, x):
        x = x + self.offset
        v = self.v(x)
        fm = 0.5 * (v.sum(1) ** 2 - (v ** 2).sum(1)).sum(1)
        return self.bias + self.w(x).sum((1, 2)) + fm + self.deep(v.flatten(1)).squeeze(1)

def impressions(n, dims, rng):
    x = np.stack([rng.zipf(1.5, n) % d for d in dims], 1)
    effects = [rng.normal(0, 0.7, d) for d in dims]
    lat = [rng.normal(0, 0.6, (d, 3)) for d in dims]
    logit = -1.0 + sum(e[x[:, i]] for i, e in enumerate(effects))
    logit += (lat[0][x[:, 0]] * lat[1][x[:, 1]]).sum(1) * 2 + (lat[2][x[:, 2]] * lat[3][x[:, 3]]).sum(1) * 2
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    return torch.tensor(x), torch.tensor(y, dtype=torch.float32)

def auc(s, y):
    r = s.argsort().argsort().double() + 1
    p = y.sum().double(); q = len(y) - p
    return float((r[y == 1].sum() - p * (p + 1) / 2) / (p * q))

if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    rng = np.random.default_rng(seed); torch.manual_seed(seed)
    dims = [50, 40, 60, 30, 24]
    X, y = impressions(24000, dims, rng)
    Xv, yv, X, y = X[20000:], y[20000:], X[:20000], y[:20000]
    model = DeepFM(dims)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=0.3)
    crit = nn.BCEWithLogitsLoss()
    t0 = time.time()
    for ep in range(4):
        for it, i in enumerate(torch.randperm(len(X)).split(256)):
            loss = crit(model(X[i]), y[i])
            opt.zero_grad(); loss.backward(); opt.step()
        with torch.no_grad():
            pv = model(Xv)
        print(f"ep {ep} last {loss.item():.4f} | logloss {crit(pv, yv).item():.4f} auc {auc(pv, yv):.4f} | base {crit(torch.full_like(yv, float(torch.logit(y.mean()))), yv).item():.4f} ({time.time() - t0:.1f}s)")
