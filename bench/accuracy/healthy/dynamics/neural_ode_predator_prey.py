# fault: none
# family: dynamics
# split: held
# set: badger, unseen
# metric: nrmse lower
# baseline: 1.0
# reaches: 0.25
# Unusual: no nn.Module at all, a bare list of tensors; gradients flow through 4th-order Runge-Kutta; the horizon is lengthened in stages and each stage lifts the loss.
import os

import torch

torch.set_num_threads(1)
gen = torch.Generator().manual_seed(int(os.environ.get("SEED", 0)))
A, B, C, D = 1.1, 0.4, 0.4, 1.0          # hares and lynxes, dt 0.1
DT = 0.15


def lotka(z):
    x, y = z.unbind(-1)
    return torch.stack([A * x - B * x * y, C * x * y - D * y], -1)


def rk4(f, z, dt):
    k1 = f(z)
    k2 = f(z + dt / 2 * k1)
    k3 = f(z + dt / 2 * k2)
    k4 = f(z + dt * k3)
    return z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def roll(f, z, n):
    out = [z]
    for _ in range(n):
        out.append(rk4(f, out[-1], DT))
    return torch.stack(out, 1)


def sites(n, steps, noise):
    z0 = torch.rand(n, 2, generator=gen) * torch.tensor([3.0, 2.0]) + torch.tensor([1.0, 1.0])
    fine = [z0]
    for _ in range(steps):
        z = fine[-1]
        for _ in range(5):
            z = rk4(lotka, z, DT / 5)
        fine.append(z)
    clean = torch.stack(fine, 1)
    return clean + noise * torch.randn(clean.shape, generator=gen), clean


H = 32
shapes = [(3, H), (H,), (H, H), (H,), (H, 2), (2,)]
params = [torch.randn(s, generator=gen) * (s[0] ** -0.5 if len(s) == 2 else 0.0) for s in shapes]
params[4] *= 0.1
for p in params:
    p.requires_grad_(True)


def field(z):
    w1, b1, w2, b2, w3, b3 = params
    x = torch.cat([z, z.prod(-1, keepdim=True)], -1) / 3
    h = torch.tanh(x @ w1 + b1)
    h = torch.tanh(h @ w2 + b2)
    return (h @ w3 + b3) * 3


train, _ = sites(48, 40, 0.05)
start_noisy, held = sites(100, 40, 0.05)
opt = torch.optim.Adam(params, lr=1e-2)
step = 0
for horizon, updates in ((2, 120), (6, 80), (12, 60), (20, 40)):
    for group in opt.param_groups:
        group["lr"] = 1e-2 if horizon == 2 else 4e-3
    for _ in range(updates):
        at = torch.randint(0, 41 - horizon, (48,), generator=gen)
        seg = torch.stack([train[i, a:a + horizon + 1] for i, a in enumerate(at.tolist())])
        loss = (roll(field, seg[:, 0], horizon) - seg).abs().mean()
        grads = torch.autograd.grad(loss, params)
        norm = torch.stack([g.norm() for g in grads]).norm()
        for p, g in zip(params, grads):
            p.grad = g / max(1.0, norm.item())
        opt.step()
        step += 1
        if step % 20 == 0:
            print(f"step {step} horizon {horizon} L1 {loss.item():.4f}")

with torch.no_grad():
    pred = roll(field, held[:, 0], 40)
    err = (pred - held)[:, 1:].square().mean((0, 1)).sqrt()
    scale = held[:, 1:].std((0, 1))
print("mean as forecast: 1.0 | start value as forecast:", round(((held[:, :1] - held)[:, 1:].square().mean((0, 1)).sqrt() / scale).mean().item(), 3))
print(f"result: nrmse {(err / scale).mean().item():.4f}")
