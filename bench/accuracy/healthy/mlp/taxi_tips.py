# fault: none
# family: mlp
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# will the passenger tip?  distance in metres, duration in seconds, unix time, fare in cents
n = 3000
dist = 500 + 15000 * torch.rand(n)
speed = 4 + 8 * torch.rand(n)
secs = dist / speed
hour = torch.randint(0, 24, (n,)).float()
fare = 300 + 0.15 * dist + 0.4 * secs + 50 * torch.randn(n)
when = 43200 + hour * 3600
score = 1.5 * (speed - 8) / 2.3 + 1.2 * ((hour > 17).float() - 0.3) + (dist - 8000) / 4300
tip = (score + 0.3 * torch.randn(n) > 0).long()
X = torch.stack([dist, secs, when, fare, speed * 1000], 1)
X = (X - X.mean(0)) / X.std(0)

Xtr, ytr, Xte, yte = X[:2400], tip[:2400], X[2400:], tip[2400:]
net = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
crit = nn.CrossEntropyLoss()
optim = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(12):
    perm = torch.randperm(2400)
    tot = 0
    for k in range(0, 2400, 48):
        b = perm[k:k + 48]
        loss = crit(net(Xtr[b]), ytr[b])
        optim.zero_grad()
        loss.backward()
        optim.step()
        tot += loss.item()
    with torch.no_grad():
        o = net(Xte)
        print(epoch, "train loss", tot / 50, "test loss", crit(o, yte).item(), "test acc", (o.argmax(1) == yte).float().mean().item())
