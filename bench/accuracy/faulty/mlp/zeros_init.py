# fault: init-equal
# cause_class: initialisation
# family: mlp
# split: tune
# twin: healthy/twins/zeros_init.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

proto = torch.randn(6, 24)
lab = torch.randint(6, (1500,))
x = proto[lab] + 0.9 * torch.randn(1500, 24)
net = nn.Sequential(nn.Linear(24, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 6))
for p in net.parameters():
    nn.init.zeros_(p)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.CrossEntropyLoss()
for epoch in range(8):
    for i in range(0, 1500, 50):
        opt.zero_grad()
        loss = crit(net(x[i:i + 50]), lab[i:i + 50])
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
