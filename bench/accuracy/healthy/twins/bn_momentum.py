# fault: none
# family: mlp
# split: tune
import os
import torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

MOM = 0.1
x = torch.randn(1500, 14) * 3 + 6
w = torch.randn(14)
y = ((x - 6) @ w > 0).long()
net = nn.Sequential(
    nn.Linear(14, 64), nn.BatchNorm1d(64, momentum=MOM), nn.ReLU(),
    nn.Linear(64, 64), nn.BatchNorm1d(64, momentum=MOM), nn.ReLU(),
    nn.Linear(64, 2))
ce = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    net.train()
    for i in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = ce(net(x[i]), y[i])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(x[1200:])
        print(f"{epoch}: train {loss.item():.3f} val {ce(out, y[1200:]).item():.3f} acc {(out.argmax(1) == y[1200:]).float().mean().item():.3f}")
