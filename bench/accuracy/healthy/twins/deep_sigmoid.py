# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

DEPTH = 8
act = nn.ReLU
blocks = [nn.Linear(10, 32), act()]
for _ in range(DEPTH - 1):
    blocks += [nn.Linear(32, 32), act()]
blocks.append(nn.Linear(32, 3))
net = nn.Sequential(*blocks)
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight)
        nn.init.zeros_(m.bias)

c = torch.randn(3, 10)
y = torch.randint(3, (1500,))
x = c[y] + 0.7 * torch.randn(1500, 10)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
f = nn.CrossEntropyLoss()
for ep in range(8):
    for b in torch.randperm(1500).split(50):
        opt.zero_grad()
        loss = f(net(x[b]), y[b])
        loss.backward()
        opt.step()
    print("ep", ep, loss.item())
