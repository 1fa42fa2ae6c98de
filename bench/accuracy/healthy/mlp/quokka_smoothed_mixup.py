# fault: none
# family: mlp
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
c = torch.randn(5, 20)
y = torch.randint(0, 5, (2400,))
x = c[y] + torch.randn(2400, 20)
xt, yt, xv, yv = x[:2000], y[:2000], x[2000:], y[2000:]
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)
beta = torch.distributions.Beta(0.4, 0.4)
for epoch in range(12):
    net.train()
    tot = 0.0
    for b in torch.randperm(2000).split(50):
        lam, other = beta.sample(), b[torch.randperm(len(b))]
        out = net(lam * xt[b] + (1 - lam) * xt[other])
        loss = lam * F.cross_entropy(out, yt[b], label_smoothing=0.1) + (1 - lam) * F.cross_entropy(out, yt[other], label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    sched.step()
    net.eval()
    with torch.no_grad():
        acc = (net(xv).argmax(1) == yv).float().mean()
    print(f"{epoch} mixed loss {tot / 40:.4f} acc {acc:.3f}")
