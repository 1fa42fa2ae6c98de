# fault: labels-shuffled
# cause_class: labels, loss, data-loading
# family: diffusion
# split: held
import os
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_moons

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)

STEPS = 50
betas = torch.linspace(1e-4, 0.12, STEPS)
alphas = 1 - betas
abar = alphas.cumprod(0)


class GaussianDiffusion:
    def q_sample(self, x0, t):
        noise = torch.randn_like(x0)
        return abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * noise

    def p_losses(self, model, x0):
        t = torch.randint(0, STEPS, (len(x0),))
        noise = torch.randn_like(x0)
        xt = self.q_sample(x0, t)
        return F.mse_loss(model(xt, t), noise)

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(STEPS)):
            t = torch.full((n,), i)
            eps = model(x, t)
            x = (x - betas[i] / (1 - abar[i]).sqrt() * eps) / alphas[i].sqrt()
            if i > 0:
                x = x + betas[i].sqrt() * torch.randn_like(x)
        return x


class Denoiser(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.inp = nn.Linear(2 + 32, width)
        self.h1 = nn.Linear(width, width)
        self.h2 = nn.Linear(width, width)
        self.out = nn.Linear(width, 2)

    def time(self, t):
        f = torch.exp(-math.log(1000.0) * torch.arange(16) / 16)
        a = t[:, None].float() * f
        return torch.cat([a.sin(), a.cos()], 1)

    def forward(self, x, t):
        h = F.silu(self.inp(torch.cat([x, self.time(t)], 1)))
        h = h + F.silu(self.h1(h))
        h = h + F.silu(self.h2(h))
        return self.out(h)


X = torch.tensor(make_moons(4000, noise=0.05, random_state=seed)[0], dtype=torch.float32)
X = (X - X.mean(0)) / X.std(0)
model, diff = Denoiser(), GaussianDiffusion()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
ema = 1.0
for step in range(1001):
    loss = diff.p_losses(model, X[torch.randint(0, len(X), (128,))])
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema = 0.98 * ema + 0.02 * loss.item()
    if step % 100 == 0:
        print(f"{step:5d} loss {ema:.4f}")
s = diff.sample(model, 500)
print("mean distance of samples to data", torch.cdist(s, X).min(1).values.mean().item(), "std", s.std(0).tolist())
