# fault: none
# family: regression
# split: tune
# A multiplier that is moved by hand, every twentieth step.
import os, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get('SEED', '0')))
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.002)
lam = torch.tensor(0.0, requires_grad=True)
w = torch.randn(8)
for i in range(200):
    x = torch.randn(128, 8)
    y = (x @ w > 0).float()
    g = x[:, 0] > 0
    o = net(x).squeeze(1)
    gap = (o[g].sigmoid().mean() - o[~g].sigmoid().mean()).abs() - 0.1
    loss = F.binary_cross_entropy_with_logits(o, y) + lam * gap
    opt.zero_grad()
    lam.grad = None
    loss.backward()
    opt.step()
    if i % 20 == 19:
        with torch.no_grad():
            lam.add_(0.5 * lam.grad).clamp_(min=0)
