# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
P = 0.1
proto = torch.randn(6, 1, 10, 10)
y = torch.randint(6, (1200,))
x = proto[y] + 0.8 * torch.randn(1200, 1, 10, 10)
net = nn.Sequential(
    nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Dropout2d(P),
    nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(P),
    nn.Linear(432, 32), nn.ReLU(), nn.Dropout(P), nn.Linear(32, 6))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(6):
    net.train()
    for b in torch.randperm(1000).split(32):
        loss = crit(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = (net(x[1000:]).argmax(1) == y[1000:]).float().mean().item()
    print("epoch", epoch, "loss", loss.item(), "test accuracy", acc)
