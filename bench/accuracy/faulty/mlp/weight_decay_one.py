# fault: weight-decay-too-strong
# cause_class: regularisation
# family: mlp
# split: tune
# twin: healthy/twins/weight_decay_one.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.randn(1500, 12)
y = ((X[:, 0] + X[:, 1]) * X[:, 2] > 0).long()
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1.0)
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    for idx in torch.randperm(1500).split(50):
        loss = criterion(model(X[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Epoch [{epoch + 1}/8], Loss: {loss.item():.4f}")
