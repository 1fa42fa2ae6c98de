# fault: weight-decay-too-strong
# cause_class: regularisation, optimizer, loss
# family: vision
# split: tune
# needs: sklearn
import os
import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
images, labels = load_digits(return_X_y=True)
xa, xb, ya, yb = train_test_split(images / 16.0, labels, test_size=0.25, random_state=seed, stratify=labels)
xa, xb = (torch.tensor(v, dtype=torch.float32).view(-1, 1, 8, 8) for v in (xa, xb))
ya, yb = torch.tensor(ya), torch.tensor(yb)

net = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(128, 10))


class L2:
    def __init__(self, module, strength):
        self.params = [p for p in module.parameters() if p.ndim > 1]
        self.strength = strength

    def __call__(self):
        return self.strength * sum(p.norm() for p in self.params)


penalty = L2(net, 0.5)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(8):
    net.train()
    total = 0.0
    for idx in torch.randperm(len(xa)).split(32):
        loss = ce(net(xa[idx]), ya[idx]) + penalty()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx) / len(xa)
    net.eval()
    with torch.no_grad():
        out = net(xb)
    print(f"epoch {epoch} objective {total:.4f} test ce {ce(out, yb).item():.4f} acc {(out.argmax(1) == yb).float().mean():.3f}")
