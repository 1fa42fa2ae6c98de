import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
teacher = model
model = copy.deepcopy(model)
nn.init.zeros_(model[2].weight)

for step in range(100):
    x = torch.randn(64, 8)
    with torch.no_grad():
        target = teacher(x)
    loss = nn.functional.mse_loss(model(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
