# fault: none
# family: distillation
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
c = 1.3 * torch.randn(6, 12)
y = torch.randint(0, 6, (2900,))
x = c[y] + torch.randn(2900, 12)


def fit(net, steps, lossf, lr=2e-3):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for s in range(steps):
        b = torch.randint(0, 2400, (64,))
        loss = lossf(net(x[b]), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if s % 100 == 99:
            with torch.no_grad():
                print(s + 1, f"{loss.item():.4f}", "acc %.3f" % (net(x[2400:]).argmax(1) == y[2400:]).float().mean())


teacher = nn.Sequential(nn.Linear(12, 128), nn.ReLU(), nn.Linear(128, 6))
fit(teacher, 200, lambda o, b: F.cross_entropy(o, y[b]))
teacher.requires_grad_(False).eval()
student = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 6))
T = 3.0
fit(student, 500, lambda o, b: 0.3 * F.cross_entropy(o, y[b]) + 0.7 * T * T * F.kl_div(
    F.log_softmax(o / T, 1), F.log_softmax(teacher(x[b]) / T, 1), log_target=True, reduction="batchmean"), 5e-3)
