# fault: frozen-by-mistake
# cause_class: not-updated
# family: sequence
# split: tune
import math
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class MeterNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 24)
        self.gru = nn.GRU(24, 32, batch_first=True)
        self.mix = nn.Linear(32, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        h, _ = self.gru(torch.tanh(self.project(x)))
        return self.out(torch.relu(self.mix(h[:, -1]))).squeeze(-1)


t = torch.arange(2200) / 24.0
load = torch.sin(2 * math.pi * t) + 0.5 * torch.sin(2 * math.pi * t / 7) + 0.1 * torch.randn(2200)
features = torch.stack([load, torch.sin(2 * math.pi * t), torch.cos(2 * math.pi * t)], 1)
windows = torch.stack([features[i : i + 24] for i in range(2200 - 25)])
targets = load[24:-1]

model = MeterNet()
model.gru.requires_grad_(False)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()
n = 1800
for epoch in range(4):
    model.train()
    for i in torch.randperm(n).split(50):
        loss = loss_fn(model(windows[i]), targets[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        print(epoch, loss.item(), loss_fn(model(windows[n:]), targets[n:]).item())
