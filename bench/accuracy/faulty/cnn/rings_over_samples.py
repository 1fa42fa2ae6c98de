# fault: axes-mixed-up
# cause_class: output-activation, structure, loss
# family: cnn
# split: tune
# twin: healthy/twins/rings_over_samples.py
"""Rings, bars and dots; log-probabilities and nll_loss."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
y = torch.randint(0, 3, (600,))
x = torch.randn(600, 1, 10, 10) * 0.4
for k in range(600):
    x[k, 0, 3 * y[k] : 3 * y[k] + 2] += 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.out = nn.Conv2d(1, 8, 3), nn.Linear(512, 3)

    def forward(self, x):
        return F.log_softmax(self.out(F.relu(self.conv(x)).flatten(1)), dim=0)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(6):
    for i in torch.randperm(600).split(30):
        loss = F.nll_loss(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
