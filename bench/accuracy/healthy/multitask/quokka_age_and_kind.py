# fault: none
# family: multitask
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.age, self.kind = nn.Linear(64, 1), nn.Linear(64, 4)
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = self.trunk(x)
        return self.age(h).squeeze(1), self.kind(h)

    def loss(self, a, k):
        return torch.exp(-self.log_var[0]) * a + torch.exp(-self.log_var[1]) * k + 0.5 * self.log_var.sum()


x = torch.randn(3000, 12)
age = torch.tanh(x[:, 0] + x[:, 1]) + 0.05 * torch.randn(3000)
age = (age - age.mean()) / age.std()
kind = (x[:, 2:6] + 0.1 * torch.randn(3000, 4)).argmax(1)
net = Net()
opt = torch.optim.Adam([{"params": net.trunk.parameters(), "lr": 1e-3}, {"params": [*net.age.parameters(), *net.kind.parameters()], "lr": 2e-3},
                        {"params": [net.log_var], "lr": 1e-2}])
for epoch in range(12):
    net.train()
    s = torch.zeros(3)
    for b in torch.randperm(2500).split(50):
        a, k = net(x[b])
        la, lk = F.mse_loss(a, age[b]), F.cross_entropy(k, kind[b])
        loss = net.loss(la, lk)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += torch.tensor([loss.item(), la.item(), lk.item()])
    net.eval()
    with torch.no_grad():
        acc = (net(x[2500:])[1].argmax(1) == kind[2500:]).float().mean()
    print(f"{epoch} total {s[0] / 50:.3f} age {s[1] / 50:.4f} kind {s[2] / 50:.4f} acc {acc:.3f}")
