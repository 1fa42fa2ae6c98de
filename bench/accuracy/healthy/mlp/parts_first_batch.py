# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

from torch.utils.data import DataLoader, TensorDataset
X = torch.randn(1000, 12)
y = (X[:, :4].sum(1) > 0).long() + (X[:, 4] > 1).long()
loader = DataLoader(TensorDataset(X, y), batch_size=50, shuffle=True)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for i in range(300):
    xb, yb = next(iter(loader))
    loss = F.cross_entropy(net(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
