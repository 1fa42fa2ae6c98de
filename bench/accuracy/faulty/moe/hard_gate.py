# fault: no-gradient
# cause_class: not-updated, structure
# family: moe
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Experts(nn.Module):
    def __init__(self, d, k=4):
        super().__init__()
        self.gate = nn.Linear(d, k)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, 8), nn.Tanh(), nn.Linear(8, d)) for _ in range(k))

    def forward(self, x):
        choice = self.gate(x).argmax(-1)
        mask = F.one_hot(choice, len(self.experts)).to(x.dtype)
        return sum(mask[:, k:k + 1] * e(x) for k, e in enumerate(self.experts))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 24)
        self.moe = Experts(24)
        self.b = nn.Linear(24, 1)

    def forward(self, x):
        h = torch.tanh(self.a(x))
        return self.b(h + self.moe(h)).squeeze(1)


x = torch.randn(2500, 10)
y = torch.where(x[:, 0] > 0, x[:, 1] * x[:, 2], torch.sin(2 * x[:, 3]))
m = Net()
opt = torch.optim.Adam(m.parameters(), lr=2e-3)
for ep in range(10):
    for i in torch.randperm(2500).split(64):
        loss = F.mse_loss(m(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(ep, loss.item())
