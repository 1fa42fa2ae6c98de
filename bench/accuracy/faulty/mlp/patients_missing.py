# fault: nan-in-data
# cause_class: non-finite, data-loading
# family: mlp
# split: tune
# twin: healthy/twins/patients_missing.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.randn(1500, 10)
y = ((X[:, :4].sum(1) + 0.5 * torch.randn(1500)) > 0).long()
# blood pressure was not always taken
X[torch.rand(1500) < 0.002, 7] = float("nan")

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(6):
    order = torch.randperm(1500)
    for j in range(0, 1500, 30):
        s = order[j:j + 30]
        optimizer.zero_grad()
        loss = loss_fn(model(X[s]), y[s])
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
