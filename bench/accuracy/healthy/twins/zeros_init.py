# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

proto = torch.randn(6, 24)
lab = torch.randint(6, (1500,))
x = proto[lab] + 0.9 * torch.randn(1500, 24)
net = nn.Sequential(nn.Linear(24, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 6))
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.xavier_normal_(m.weight)
        nn.init.zeros_(m.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.CrossEntropyLoss()
for epoch in range(8):
    for i in range(0, 1500, 50):
        opt.zero_grad()
        loss = crit(net(x[i:i + 50]), lab[i:i + 50])
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
