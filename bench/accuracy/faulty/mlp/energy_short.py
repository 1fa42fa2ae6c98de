# fault: too-few-updates
# cause_class: epochs, learning-rate
# family: mlp
# split: tune
# twin: healthy/twins/energy_short.py
# alarm: no
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(6000, 8)
y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).long()
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
epochs = 1
for epoch in range(epochs):
    for i in range(0, 6000, 100):
        optimizer.zero_grad()
        loss = criterion(model(X[i:i + 100]), y[i:i + 100])
        loss.backward()
        optimizer.step()
        if i % 2000 == 0:
            print(epoch, i, loss.item())
