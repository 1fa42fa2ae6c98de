# fault: none
# family: mlp
# split: tune
# eval() is called for the validation and train() never again: the net has neither dropout nor BatchNorm.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

teacher = nn.Sequential(nn.Linear(9, 6), nn.Tanh(), nn.Linear(6, 3))
x, vx = torch.randn(1600, 9), torch.randn(300, 9)
with torch.no_grad():
    y, vy = (teacher(x) * 5).argmax(1), (teacher(vx) * 5).argmax(1)

net = nn.Sequential(nn.Linear(9, 48), nn.LayerNorm(48), nn.ReLU(), nn.Linear(48, 3))
ce = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
hist = []
for epoch in range(6):
    for i in torch.randperm(1600).split(32):
        opt.zero_grad()
        loss = ce(net(x[i]), y[i])
        loss.backward()
        opt.step()
        hist.append(loss.item())
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} val {ce(net(vx), vy):.4f}")
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
