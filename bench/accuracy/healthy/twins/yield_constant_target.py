# fault: none
# family: regression
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

rain = torch.rand(1500) * 400
sun = torch.rand(1500) * 10
soil = torch.randn(1500)
crop = 2 + 0.01 * rain - 0.00002 * rain ** 2 + 0.3 * sun + 0.2 * soil
columns = torch.stack([(rain - 200) / 115, (sun - 5) / 2.9, soil, crop], dim=1)
X = columns[:, :3]
y = columns[:, 3:]

net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.005)
for epoch in range(6):
    for idx in torch.randperm(1500).split(50):
        loss = nn.functional.mse_loss(net(X[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"[{epoch}] mse={loss.item():.5f}")
