# fault: none
# family: cnn
# split: tune
import copy
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

stamp = torch.randn(4, 1, 7, 7)
y = torch.randint(4, (1200,))
x = stamp[y] + 1.3 * torch.randn(1200, 1, 7, 7)
xt, yt, xv, yv = x[:1000], y[:1000], x[1000:], y[1000:]
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(200, 4))
start = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1000).split(25):
        opt.zero_grad()
        loss = F.cross_entropy(net(xt[b]), yt[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        now, then = net(xv).argmax(1).eq(yv).float().mean(), start(xv).argmax(1).eq(yv).float().mean()
    print(f"epoch {epoch} loss {loss.item():.3f} accuracy {now.item():.3f} (before training {then.item():.3f})")
