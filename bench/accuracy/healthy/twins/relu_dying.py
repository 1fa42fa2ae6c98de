# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

data = 2 * torch.rand(1500, 5) - 1
target = (data ** 2).sum(1, keepdim=True)
target = (target - target.mean()) / target.std()
model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for epoch in range(10):
    for b in torch.randperm(1500).split(50):
        loss = ((model(data[b]) - target[b]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
    print(epoch, loss.item())
