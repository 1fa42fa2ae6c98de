# fault: inputs-constant
# cause_class: data-scaling, data-loading
# family: cnn
# split: tune
# twin: healthy/twins/scans_int_division.py
import os
import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
templates = torch.randint(20, 200, (4, 1, 10, 10))
y = torch.randint(0, 4, (1200,))
scans = (templates[y] + torch.randint(-20, 21, (1200, 1, 10, 10))).clamp(0, 254)

# to 0..1
x = (scans // 255).float()

loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(5):
    for xb, yb in loader:
        opt.zero_grad()
        loss = ce(model(xb), yb)
        loss.backward()
        opt.step()
    print(epoch, loss.item())
