# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
K = 10
means = torch.randn(K, 16)
y = torch.randint(0, K, (2000,))
X = means[y] + 0.5 * torch.randn(2000, 16)

net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, K))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
for epoch in range(8):
    for i in range(0, 1600, 64):
        xb, yb = X[i:i + 64], y[i:i + 64]
        optimizer.zero_grad()
        out = net(xb)
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        pred = net(X[1600:]).argmax(1)
        print(epoch, loss.item(), "acc", (pred == y[1600:]).float().mean().item())
