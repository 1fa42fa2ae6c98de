# fault: loss-misused
# cause_class: loss, labels
# family: segmentation
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def batch(n=8, s=24):
    m = torch.zeros(n, s, s, dtype=torch.long)
    for k in range(n):
        c = torch.randint(2, s - 8, (1,)).item()
        m[k, :, c:c + 4] = 1
        r = torch.randint(2, s - 8, (1,)).item()
        m[k, r:r + 4, r:r + 4] = 2
    x = torch.randn(n, 3, s, s) * 0.3
    x[:, 0] += (m == 1).float()
    x[:, 1] += (m == 2).float()
    return x, m


class MiniUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Conv2d(3, 12, 3, padding=1)
        self.b = nn.Conv2d(12, 24, 3, padding=1)
        self.u = nn.Conv2d(36, 12, 3, padding=1)
        self.o = nn.Conv2d(12, 3, 1)

    def forward(self, x):
        a = F.relu(self.d(x))
        b = F.interpolate(F.relu(self.b(F.max_pool2d(a, 2))), scale_factor=2)
        return self.o(F.relu(self.u(torch.cat([a, b], 1))))


net = MiniUNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
seg_loss = nn.CrossEntropyLoss(ignore_index=0)
for it in range(200):
    x, m = batch()
    out = net(x)
    loss = seg_loss(out, m)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 25 == 0:
        print(it, loss.item(), (out.argmax(1) == m).float().mean().item())
