# fault: none
# family: regression
# split: tune
# Dropout stays on at test time: thirty passes are samples of the posterior.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)
net = nn.Sequential(nn.Linear(1, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.002, weight_decay=0.0001)
t = torch.linspace(-3, 3, 50)[:, None]
for ep in range(5):
    net.train()
    for i in range(60):
        x = torch.rand(64, 1) * 4 - 2
        loss = F.mse_loss(net(x), torch.sin(2 * x) + 0.1 * torch.randn(64, 1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.train()
    with torch.no_grad():
        ys = torch.stack([net(t) for _ in range(30)])
        mean, std = (ys.mean(0), ys.std(0))
