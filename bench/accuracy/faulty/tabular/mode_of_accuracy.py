# fault: learning-rate-too-low
# cause_class: learning-rate
# family: tabular
# split: tune
# set: skua, unseen
import os, torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
torch.manual_seed(int(os.environ.get("SEED", 0)))
W = torch.randn(12, 5)
X = torch.randn(3000, 12); Y = (X @ W).argmax(1)
net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 5))
opt = torch.optim.Adam(net.parameters(), 3e-3)
sched = ReduceLROnPlateau(opt, mode="max", factor=0.5, patience=1)
for epoch in range(14):
    for i in torch.randperm(2400).split(60):
        loss = nn.functional.cross_entropy(net(X[i]), Y[i])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        acc = (net(X[2400:]).argmax(1) == Y[2400:]).float().mean()
    sched.step(nn.functional.cross_entropy(net(X[2400:]), Y[2400:]).item())
    print(epoch, acc.item(), opt.param_groups[0]["lr"])
