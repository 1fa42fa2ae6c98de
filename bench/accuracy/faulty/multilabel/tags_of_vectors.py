# fault: logits-as-probabilities
# cause_class: output-activation, loss
# family: multilabel
# split: tune
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class SafeBCE(nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, p, y):
        p = p.clamp(self.eps, 1 - self.eps)
        return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


x = torch.randn(3000, 30)
y = ((x @ torch.randn(30, 8)) > 1.0).float()
net = nn.Sequential(nn.Linear(30, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 8))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
crit = SafeBCE()
for epoch in range(8):
    for i in torch.randperm(3000).split(100):
        loss = crit(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item(), ((net(x) > 0.5).float() == y).float().mean().item())
