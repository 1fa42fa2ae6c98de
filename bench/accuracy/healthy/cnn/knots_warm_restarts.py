# fault: none
# family: cnn
# split: held
import os
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
proto = 0.9 * torch.randn(8, 1, 9, 9)


def draw(n):
    y = torch.randint(8, (n,))
    return proto[y] + torch.randn(n, 1, 9, 9), y


train = DataLoader(TensorDataset(*draw(2000)), batch_size=40, shuffle=True)
xv, yv = draw(500)
net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(300, 8))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = CosineAnnealingWarmRestarts(opt, T_0=2, T_mult=2)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
for epoch in range(6):
    for k, (x, y) in enumerate(train):
        loss = loss_fn(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step(epoch + k / len(train))
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {epoch} lr {opt.param_groups[0]['lr']:.5f} train {loss.item():.4f} val {loss_fn(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
