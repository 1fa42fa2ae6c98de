import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(100):
    x = torch.randn(32, 8)
    loss = F.mse_loss(model(x), x.sum(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
