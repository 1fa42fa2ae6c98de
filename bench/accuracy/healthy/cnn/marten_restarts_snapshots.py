# fault: none
# family: cnn
# split: held
import copy
import os

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
CLASSES, EPOCHS, CYCLE = 5, 9, 3
kernels = torch.randn(CLASSES, 1, 6, 6, generator=torch.Generator().manual_seed(8))


def stamps(n):
    """A stamp somewhere on a noisy page."""
    y = torch.randint(CLASSES, (n,))
    x = 0.6 * torch.randn(n, 1, 14, 14)
    for i in range(n):
        r, c = torch.randint(0, 9, (2,)).tolist()
        x[i, :, r:r + 6, c:c + 6] += kernels[y[i]]
    return x, y


class PageNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(1, 16, 5, padding=2), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveMaxPool2d(1),
                         nn.Flatten(), nn.Linear(24, CLASSES))


net = PageNet()
train = DataLoader(TensorDataset(*stamps(1200)), batch_size=40, shuffle=True)
tx, ty = stamps(300)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = CosineAnnealingWarmRestarts(opt, T_0=CYCLE * len(train), eta_min=1e-5)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
snapshots = []

for epoch in range(EPOCHS):
    net.train()
    total = 0.0
    for x, y in train:
        loss = loss_fn(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item() / len(train)
    net.eval()
    with torch.no_grad():
        acc = (net(tx).argmax(1) == ty).float().mean()
    print(f"epoch {epoch} lr {opt.param_groups[0]['lr']:.5f} loss {total:.4f} acc {acc:.3f}")
    if (epoch + 1) % CYCLE == 0:
        snapshots.append(copy.deepcopy(net).eval())

with torch.no_grad():
    vote = sum(s(tx).softmax(1) for s in snapshots)
print(f"ensemble of {len(snapshots)}: {(vote.argmax(1) == ty).float().mean():.3f}")
