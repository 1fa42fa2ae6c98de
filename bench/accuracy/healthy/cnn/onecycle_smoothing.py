# fault: none
# family: cnn
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1)
x = (x - x.mean()) / x.std()
y = torch.tensor(d.target)
perm = torch.randperm(len(x))
tr = TensorDataset(x[perm[:1440]], y[perm[:1440]])
te = x[perm[1440:]], y[perm[1440:]]


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.n1, self.n2 = nn.BatchNorm2d(c), nn.BatchNorm2d(c)
        nn.init.zeros_(self.n2.weight)        # block starts as the identity

    def forward(self, x):
        return x + self.n2(self.c2(F.relu(self.n1(self.c1(x)))))


net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), ResBlock(16), nn.ReLU(), nn.MaxPool2d(2), ResBlock(16), nn.ReLU(),
                    nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 10))
loader = DataLoader(tr, batch_size=48, shuffle=True, drop_last=True)
EPOCHS = 8
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.4, total_steps=EPOCHS * len(loader))
crit = nn.CrossEntropyLoss(label_smoothing=0.2)
for ep in range(EPOCHS):
    net.train()
    s = 0.0
    for a, b in loader:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = crit(net(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        s += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        out = net(te[0])
    print(f"epoch {ep} train {s:.3f} test {crit(out, te[1]).item():.3f} acc {(out.argmax(1) == te[1]).float().mean().item():.3f} "
          f"lr {sched.get_last_lr()[0]:.4f}")
