# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: vision
# split: tune
import os
import numpy as np
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)
N, S = 1200, 16
label = rng.integers(0, 4, N)
img = rng.random((N, S, S, 3)).astype(np.float32) * 0.5
yy, xx = np.mgrid[:S, :S]
for k in range(N):
    ph = rng.random() * 6
    wave = [np.sin(yy + ph), np.sin(xx + ph), np.sin(yy + xx + ph), np.sin(yy - xx + ph)][label[k]]
    img[k, :, :, rng.integers(0, 3)] += 0.5 * wave


def to_tensor(a):
    n, h, w, c = a.shape
    return torch.from_numpy(a).view(n, c, h, w)


x, y = to_tensor(img), torch.from_numpy(label)
net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(5):
    for i in torch.randperm(N).split(40):
        loss = nn.functional.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
