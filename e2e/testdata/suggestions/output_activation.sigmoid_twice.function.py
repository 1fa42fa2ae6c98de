import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.BCEWithLogitsLoss()
for step in range(100):
    x = torch.randn(64, 8)
    out = torch.sigmoid(model(x)).squeeze(1)
    loss = criterion(out, (x[:, 0] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
