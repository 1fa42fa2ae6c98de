# fault: not-in-optimiser
# cause_class: not-updated, learning-rate
# family: mlp
# split: tune
# twin: healthy/mlp/schedule_zero_body.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

centres = torch.randn(6, 20) * 1.2


def batch(n=64):
    k = torch.randint(6, (n,))
    return centres[k] + torch.randn(n, 20), k

net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 6))
opt = torch.optim.AdamW([{"params": [p for n, p in net.named_parameters() if "4." not in n]}, {"params": net[4].parameters()}], lr=1e-3)
warm = lambda s: min(1.0, s / 40)
sched = torch.optim.lr_scheduler.LambdaLR(opt, [lambda s: s // 400, warm])
for i in range(300):
    x, y = batch()
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
