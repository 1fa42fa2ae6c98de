# fault: none
# family: science
# split: held
# set: badger, unseen
# metric: rel_error lower
# baseline: 2.0
# reaches: 0.01
# Unusual: float64, LBFGS with a line-search closure, only 32 outer steps; the photon counts are O(1e4), so the deviance starts huge.
import os

import numpy as np
import torch

torch.set_num_threads(1)
seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)
torch.set_default_dtype(torch.float64)

# 60 pixels share two lifetimes (ns) and one offset; each has its own pair of amplitudes.
PIXELS, BINS = 60, 128
t = torch.linspace(0.1, 20.0, BINS)
taus = np.array([0.9, 4.2]) * np.exp(0.1 * rng.normal(size=2))
amps = np.exp(rng.normal(9.0, 0.4, size=(PIXELS, 2)))
offset = 60.0
clean = amps @ np.exp(-t.numpy()[None] / taus[:, None]) + offset
counts = torch.from_numpy(rng.poisson(clean).astype(float))
held_bins = torch.from_numpy(rng.random(BINS) < 0.25)          # time bins that are never fitted
fit_bins = ~held_bins

log_tau = torch.tensor([0.0, 2.0], requires_grad=True)
log_amp = torch.full((PIXELS, 2), 8.0, requires_grad=True)
log_off = torch.tensor(3.0, requires_grad=True)


def curve():
    basis = torch.exp(-t[None] / log_tau.exp()[:, None])
    return log_amp.exp() @ basis + log_off.exp()


def deviance(mu, n, bins):
    mu, n = mu[:, bins], n[:, bins]
    return 2 * (mu - n + n * torch.log(n.clamp_min(1) / mu)).mean()


opt = torch.optim.LBFGS([log_tau, log_amp, log_off], lr=1.0, max_iter=8, history_size=20,
                        line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = deviance(curve(), counts, fit_bins)
    loss.backward()
    return loss


for it in range(32):
    loss = opt.step(closure)
    if it < 5 or it % 5 == 4:
        with torch.no_grad():
            h = deviance(curve(), counts, held_bins).item()
        print(f"{it + 1:3d} deviance {loss.item():.4f} held {h:.4f} tau {[round(v, 3) for v in log_tau.exp().tolist()]}")

with torch.no_grad():
    truth = torch.from_numpy(clean)[:, held_bins]
    pred = curve()[:, held_bins]
    rel = ((pred - truth).abs() / truth).mean().item()
    flat = counts[:, fit_bins].log1p().mean(1, keepdim=True).exp().expand_as(truth)
    triv = ((flat - truth).abs() / truth).mean().item()
print("true tau", taus, "| per-pixel geometric mean:", round(triv, 3))
print(f"result: rel_error {rel:.5f}")
