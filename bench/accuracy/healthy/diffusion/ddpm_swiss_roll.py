# fault: none
# family: diffusion
# split: held
import math
import os
import torch
import torch.nn as nn
from sklearn.datasets import make_swiss_roll

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)
roll = make_swiss_roll(3000, noise=0.3, random_state=seed)[0][:, [0, 2]]
X = torch.tensor(roll, dtype=torch.float32)
X = (X - X.mean(0)) / X.std(0)

T = 60
beta = torch.linspace(1e-4, 0.1, T)
abar = torch.cumprod(1 - beta, 0)


class Eps(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.t = nn.Embedding(T, h)
        self.i = nn.Linear(2, h)
        self.m = nn.ModuleList([nn.Linear(h, h) for _ in range(2)])
        self.o = nn.Linear(h, 2)
        nn.init.zeros_(self.o.weight)
        nn.init.zeros_(self.o.bias)

    def forward(self, x, t):
        h = self.i(x) + self.t(t)
        for m in self.m:
            h = h + torch.relu(m(torch.relu(h)))
        return self.o(h)


net = Eps()
ema = {k: v.clone() for k, v in net.state_dict().items()}
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
hist = []
for step in range(1, 1001):
    x0 = X[torch.randint(0, len(X), (128,))]
    t = torch.randint(0, T, (128,))
    e = torch.randn_like(x0)
    xt = abar[t, None].sqrt() * x0 + (1 - abar[t, None]).sqrt() * e
    loss = (net(xt, t) - e).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for k, v in net.state_dict().items():
            ema[k].lerp_(v, 0.01)
    hist.append(loss.item())
    if step % 100 == 0:
        print(step, "loss %.4f" % (sum(hist[-100:]) / 100))

net.load_state_dict(ema)
net.eval()
with torch.no_grad():
    x = torch.randn(400, 2)
    for i in range(T - 1, -1, -1):
        e = net(x, torch.full((400,), i))
        x = (x - beta[i] / math.sqrt(1 - abar[i]) * e) / math.sqrt(1 - beta[i])
        if i:
            x += math.sqrt(beta[i]) * torch.randn_like(x)
print("distance to data", torch.cdist(x, X).min(1).values.mean().item())
