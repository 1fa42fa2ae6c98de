# fault: none
# family: mlp
# split: tune
# Mixup: targets are mixtures of one-hot rows, given to cross entropy as probabilities.
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", "0"))
np.random.seed(seed)
torch.manual_seed(seed)

NCLASS = 4
protos = torch.randn(NCLASS, 20)
labels = torch.randint(0, NCLASS, (1600,))
data = protos[labels] + 0.6 * torch.randn(1600, 20)
onehot = F.one_hot(labels, NCLASS).float()


def mixup(x, t, alpha=0.4):
    lam = np.random.beta(alpha, alpha)
    j = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[j], lam * t + (1 - lam) * t[j]


net = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, NCLASS))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
log = []
for epoch in range(6):
    net.train()
    for idx in torch.randperm(len(data)).split(64):
        xb, tb = mixup(data[idx], onehot[idx])
        loss = F.cross_entropy(net(xb), tb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
net.eval()
with torch.no_grad():
    print("accuracy", (net(data).argmax(1) == labels).float().mean().item())
print(f"loss first {log[0]:.4f} last {np.mean(log[-20:]):.4f}")
