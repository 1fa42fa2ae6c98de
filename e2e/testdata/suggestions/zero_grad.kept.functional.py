import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(60):
    x = torch.randn(32, 8)
    y = (x[:, 0] > 0).long()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, loss.item())
