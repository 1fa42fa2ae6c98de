# fault: none
# family: metric
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
c = torch.randn(12, 30)
net = nn.Sequential(nn.Linear(30, 48), nn.ReLU(), nn.Linear(48, 12))
crit = nn.TripletMarginLoss(margin=0.4)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(400):
    a = torch.randint(0, 12, (64,))
    b = (a + torch.randint(1, 12, (64,))) % 12
    pick = lambda k: F.normalize(net(c[k] + 0.9 * torch.randn(64, 30)), dim=1)
    loss = crit(pick(a), pick(a), pick(b))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(step + 1, f"{loss.item():.4f}")
