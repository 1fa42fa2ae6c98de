# fault: none
# family: distillation
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.1
# reaches: 0.8
# Unusual: 98% of the weights are set to zero in six stages; each stage makes the loss jump, the learning rate drops tenfold near the end; zeros and their masked gradients are intended.
import os
import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils import prune
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

WORDS, MEL, FRAMES = 10, 16, 20
templates = np.random.randn(WORDS, 4, 2)          # four formant targets (place, loudness) per word


def speak(n):
    y = np.random.randint(0, WORDS, n)
    t = np.linspace(0, 3, FRAMES)
    band = np.arange(MEL)[None, :, None]
    tgt = templates[y] + 0.4 * np.random.randn(n, 4, 2)
    when = np.clip(t[None] * np.random.uniform(0.8, 1.2, (n, 1)) + 0.2 * np.random.randn(n, 1), 0, 2.999)
    k = when.astype(int)
    w = (when - k)[..., None]
    row = np.arange(n)[:, None]
    path = tgt[row, k] * (1 - w) + tgt[row, k + 1] * w
    place = 8 + 3 * path[..., 0]
    x = np.exp(0.5 * path[..., 1])[:, None] * np.exp(-((band - place[:, None]) ** 2) / 4)
    x = np.log(x + 0.6 * np.random.exponential(1.0, x.shape) + 0.05)
    return torch.tensor(x.reshape(n, -1), dtype=torch.float32), torch.from_numpy(y)


xtr, ytr = speak(6000)
xte, yte = speak(1000)
mu, sd = xtr.mean(0), xtr.std(0)
xtr, xte = (xtr - mu) / sd, (xte - mu) / sd

net = nn.Sequential(nn.Linear(MEL * FRAMES, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, WORDS))
targets = [(m, "weight") for m in net if isinstance(m, nn.Linear)][:2]
prune.global_unstructured(targets, prune.L1Unstructured, amount=0.0)
loader = DataLoader(TensorDataset(xtr, ytr), batch_size=100, shuffle=True)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[15], gamma=0.1)
crit = nn.CrossEntropyLoss()
PLAN = {3: 0.6, 5: 0.8, 7: 0.9, 9: 0.95, 11: 0.97, 13: 0.98}


def sparsity():
    z = sum((m.weight == 0).sum().item() for m, _ in targets)
    return z / sum(m.weight.numel() for m, _ in targets)


def test():
    net.eval()
    with torch.no_grad():
        out = net(xte)
    net.train()
    return crit(out, yte).item(), (out.argmax(1) == yte).float().mean().item()


for epoch in range(18):
    if epoch in PLAN:
        now = sparsity()
        prune.global_unstructured(targets, prune.L1Unstructured, amount=(PLAN[epoch] - now) / (1 - now))
        print(f"  pruned to {sparsity():.3f}: loss {test()[0]:.3f} acc {test()[1]:.3f}")
    tot = 0.0
    for xb, yb in loader:
        loss = crit(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    sched.step()
    vl, acc = test()
    print(f"epoch {epoch} lr {sched.get_last_lr()[0]:.0e} train {tot / len(loader):.4f} test {vl:.4f} acc {acc:.4f}")

for m, name in targets:
    prune.remove(m, name)
print("zeros in the end:", round(sparsity(), 3), "| majority:", round((yte == ytr.bincount().argmax()).float().mean().item(), 3))
print(f"result: accuracy {test()[1]:.4f}")
