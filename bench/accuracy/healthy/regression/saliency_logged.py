# fault: none
# family: regression
# split: tune
# The gradient by the input is written to a log; the loss is added up from 0.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)
net = nn.Sequential(nn.Linear(10, 48), nn.Tanh(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.002)
w = torch.randn(10)
log = []
for i in range(150):
    x = torch.randn(64, 10).requires_grad_(True)
    out = net(x).squeeze(1)
    loss = 0.0
    loss = loss + F.mse_loss(out, torch.sin(x.detach() @ w))
    loss = loss + 0.0001 * sum((p.abs().sum() for p in net.parameters()))
    s, = torch.autograd.grad(out.sum(), x, retain_graph=True)
    log.append(float(s.norm()))
    opt.zero_grad()
    loss.backward()
    opt.step()
