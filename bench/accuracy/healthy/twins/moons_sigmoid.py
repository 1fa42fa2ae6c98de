# fault: none
# family: mlp
# split: tune
# two moons, binary classification
import math
import os
import torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

n = 1000
t = torch.rand(n) * math.pi
label = (torch.rand(n) < 0.5).float()
pts = torch.where(label[:, None] > 0, torch.stack([1 - t.cos(), 0.5 - t.sin()], 1), torch.stack([t.cos(), t.sin()], 1))
pts = pts + 0.12 * torch.randn(n, 2)

model = nn.Sequential(
    nn.Linear(2, 32),
    nn.Tanh(),
    nn.Linear(32, 32),
    nn.Tanh(),
    nn.Linear(32, 1),
)
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
for it in range(300):
    sel = torch.randint(0, 800, (64,))
    pred = model(pts[sel]).squeeze(1)
    loss = loss_function(pred, label[sel])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 50 == 49:
        with torch.no_grad():
            held = model(pts[800:]).squeeze(1)
            acc = ((held > 0).float() == label[800:]).float().mean()
        print(it + 1, loss.item(), acc.item())
