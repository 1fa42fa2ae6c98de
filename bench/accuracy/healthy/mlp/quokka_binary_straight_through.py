# fault: none
# family: mlp
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class BinaryLinear(nn.Linear):
    def forward(self, x):
        scale = self.weight.abs().mean(1, keepdim=True)
        hard = self.weight.sign() * scale
        w = self.weight + (hard - self.weight).detach()
        return F.linear(x, w, self.bias)


net = nn.Sequential(BinaryLinear(16, 128), nn.BatchNorm1d(128), nn.Hardtanh(), BinaryLinear(128, 128), nn.BatchNorm1d(128), nn.Hardtanh(),
                    nn.Linear(128, 4))
x = torch.randn(2500, 16)
w = torch.randn(16, 4)
y = (x @ w).argmax(1)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    net.train()
    tot = 0.0
    for b in torch.randperm(2000).split(50):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        acc = (net(x[2000:]).argmax(1) == y[2000:]).float().mean()
    print(f"{epoch} loss {tot / 40:.4f} acc {acc:.3f}")
