# fault: broadcast-targets
# cause_class: labels, loss
# family: physics
# split: held
"""Energy regression for a toy sampling calorimeter (10 layers x 6 cells)."""
import os, math
import numpy as np, torch

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)

N_LAYERS, N_CELLS = 10, 6


def shower(n):
    E = np.exp(rng.uniform(np.log(1.0), np.log(50.0), n))            # GeV
    depth = np.log(E / 0.01) * 0.55 + rng.normal(0, .4, n)
    L = np.arange(N_LAYERS)[None]
    prof = np.exp(-0.5 * ((L - depth[:, None]) / 1.9) ** 2)
    prof /= prof.sum(1, keepdims=True)
    lat = np.exp(-np.arange(N_CELLS) / 1.3); lat /= lat.sum()
    dep = E[:, None, None] * prof[..., None] * lat
    dep = rng.poisson(dep * 25) / 25.
    return dep.reshape(n, -1).astype('f'), E.astype('f')


x, e = shower(3600)
xt = torch.from_numpy(np.log1p(x))
mu, sd = xt[:3200].mean(0), xt[:3200].std(0) + 1e-3
xt = (xt - mu) / sd
logE = torch.from_numpy(np.log(e))
yt = (logE - logE[:3200].mean()) / logE[:3200].std()

model = torch.nn.Sequential(
    torch.nn.Linear(N_LAYERS * N_CELLS, 64), torch.nn.GELU(),
    torch.nn.Linear(64, 32), torch.nn.GELU(),
    torch.nn.Linear(32, 1))
optim = torch.optim.RAdam(model.parameters(), lr=2e-3)


def weighted_l2(pred, truth, w):
    return (w * (pred - truth) ** 2).mean()


hist = []
for epoch in range(5):
    model.train()
    for idx in torch.randperm(3200).split(64):
        weight = 1.0 + 0.5 * torch.sigmoid(yt[idx])                 # a bit more weight on high energies
        out = model(xt[idx])
        loss = weighted_l2(out, yt[idx], weight)
        optim.zero_grad()
        loss.backward()
        optim.step()
        hist.append(loss.item())
    model.eval()
    with torch.no_grad():
        p = model(xt[3200:]).flatten()
    r = np.corrcoef(p.numpy(), yt[3200:].numpy())[0, 1]
    res = (p - yt[3200:]).std() * logE[:3200].std()
    print(f"{epoch:3d}  loss {np.mean(hist[-50:]):.4f}  log-resolution {res:.3f}  corr {r:.3f}")
