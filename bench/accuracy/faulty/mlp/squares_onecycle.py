# fault: learning-rate-too-low
# cause_class: learning-rate
# family: mlp
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(4000, 20)
y = ((x[:, :5] ** 2).sum(1) > 4.4).long()
train = DataLoader(TensorDataset(x[:3200], y[:3200]), batch_size=64, shuffle=True)
valid = DataLoader(TensorDataset(x[3200:], y[3200:]), batch_size=256)
EPOCHS = 12
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.03, div_factor=100, epochs=EPOCHS, steps_per_epoch=len(train), cycle_momentum=False)
for epoch in range(EPOCHS):
    model.train()
    s = 0
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
        s += loss.item()
    sched.step()
    model.eval()
    with torch.no_grad():
        acc = sum((model(a).argmax(1) == b).sum().item() for a, b in valid) / 800
    print(epoch, s / len(train), acc)
