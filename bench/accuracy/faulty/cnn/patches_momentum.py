# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: cnn
# split: tune
# twin: healthy/twins/patches_momentum.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

kernels = torch.randn(6, 2, 6, 6)


def make(n):
    t = torch.randint(6, (n,))
    img = 0.6 * torch.randn(n, 2, 14, 14)
    r = torch.randint(0, 9, (n, 2))
    for i in range(n):
        img[i, :, r[i, 0]:r[i, 0] + 6, r[i, 1]:r[i, 1] + 6] += kernels[t[i]]
    return img, t


class PatchNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(2, 12, 5)
        self.b = nn.Conv2d(12, 16, 3)
        self.c = nn.Linear(16, 6)

    def forward(self, x):
        x = F.relu(self.a(x))
        x = F.relu(self.b(F.max_pool2d(x, 2)))
        return self.c(x.amax((2, 3)))


imgs, labels = make(960)
m = PatchNet()
opt = torch.optim.SGD(m.parameters(), lr=2.0, momentum=0.9, nesterov=True)
for ep in range(6):
    hits = 0
    for idx in torch.randperm(960).split(32):
        out = m(imgs[idx])
        loss = F.cross_entropy(out, labels[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (out.argmax(1) == labels[idx]).sum().item()
    print("epoch %d, loss %.3f, train accuracy %.3f" % (ep, loss.item(), hits / 960))
