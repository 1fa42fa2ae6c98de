# fault: none
# family: cnn
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1)
        self.n1 = nn.GroupNorm(4, 16)
        self.c2 = nn.Conv2d(16, 24, 3, padding=1)
        self.fc = nn.Linear(24 * 9, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.n1(self.c1(x))), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(x.flatten(1))


proto = torch.randn(5, 1, 12, 12) * 0.6


def data(n):
    y = torch.randint(5, (n,))
    return proto[y] + torch.randn(n, 1, 12, 12), y


net = SmallNet()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
xv, yv = data(400)
for step in range(1, 301):
    x, y = data(32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(net(x), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if step % 30 == 0:
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            o = net(xv).float()
        print(f"step {step}: train {loss.item():.4f} val {F.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
