# fault: class-labels-into-mse
# cause_class: loss
# family: mlp
# split: tune
# twin: healthy/twins/letters_mse.py
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
K = 10
means = torch.randn(K, 16)
y = torch.randint(0, K, (2000,))
X = means[y] + 0.5 * torch.randn(2000, 16)

net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
for epoch in range(8):
    for i in range(0, 1600, 64):
        xb, yb = X[i:i + 64], y[i:i + 64]
        optimizer.zero_grad()
        out = net(xb)
        loss = criterion(out.squeeze(1), yb.float())
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        pred = net(X[1600:]).round().squeeze(1).long()
        print(epoch, loss.item(), "acc", (pred == y[1600:]).float().mean().item())
