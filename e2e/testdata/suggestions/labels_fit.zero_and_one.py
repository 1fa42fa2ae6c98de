import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.SoftMarginLoss()
for step in range(100):
    x = torch.randn(32, 8)
    y = (x[:, 0] > 0).float()
    out = model(x).squeeze(1)
    loss = criterion(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
