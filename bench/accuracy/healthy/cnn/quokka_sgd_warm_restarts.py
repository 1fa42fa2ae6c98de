# fault: none
# family: cnn
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
SHAPES = (torch.rand(6, 1, 8, 8) > 0.6).float()


class Stamps(Dataset):
    def __init__(self, n):
        self.y = torch.randint(0, 6, (n,))
        self.x = SHAPES[self.y] + 0.7 * torch.randn(n, 1, 8, 8)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


train, test = Stamps(1500), Stamps(300)
net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1, bias=False), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(12, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(384, 6))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
dl = DataLoader(train, 30, shuffle=True, drop_last=True)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=50, T_mult=2)
for epoch in range(6):
    net.train()
    tot = 0.0
    for x, y in dl:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x)
        loss = F.cross_entropy(out.float(), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        acc = (net(test.x).argmax(1) == test.y).float().mean()
    print(f"{epoch} loss {tot / len(dl):.4f} acc {acc:.3f}")
