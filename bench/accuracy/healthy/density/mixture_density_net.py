# fault: none
# family: density
# split: held
import math
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def branches(n):
    """two-valued target: for one x the answer is one of two narrow branches"""
    x = torch.rand(n, 1) * 2 - 1
    up = (torch.rand(n, 1) < 0.5).float() * 2 - 1
    return x, 0.3 * torch.sin(3 * x) + up * 0.4 + 0.03 * torch.randn(n, 1)


class MDN(nn.Module):
    def __init__(self, k=4, h=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.pi, self.mu, self.s = nn.Linear(h, k), nn.Linear(h, k), nn.Linear(h, k)

    def log_prob(self, x, y):
        z = self.body(x)
        logpi = torch.log_softmax(self.pi(z), -1)
        log_sigma = self.s(z).clamp(-5, 3)
        comp = -0.5 * ((y - self.mu(z)) / log_sigma.exp()) ** 2 - log_sigma - 0.5 * math.log(2 * math.pi)
        return torch.logsumexp(logpi + comp, -1)


x, y = branches(2000)
xv, yv = branches(500)
net = MDN()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 6, 0.4)
for ep in range(15):
    tot = 0.0
    for idx in torch.randperm(2000).split(50):
        nll = -net.log_prob(x[idx], y[idx]).mean()
        opt.zero_grad()
        nll.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        tot += nll.item() / 40
    sched.step()
    with torch.no_grad():
        v = -net.log_prob(xv, yv).mean().item()
    print(f"epoch {ep} nll {tot:.4f} val nll {v:.4f}")
