# fault: none
# family: restarts
# split: tune
# needs: sklearn
import os, math, copy
import torch, torch.nn as nn
from sklearn.datasets import load_digits

# %% reproducibility
SEED = int(os.environ.get("SEED", 0)); torch.manual_seed(SEED)

# %% data
raw = load_digits()
X = (torch.from_numpy(raw.data).float() - 4.9) / 6.0
y = torch.from_numpy(raw.target)
p = torch.randperm(len(X)); X, y = X[p], y[p]
Xa, ya, Xb, yb = X[:1350], y[:1350], X[1350:], y[1350:]

# %% model: snapshot ensemble (Huang et al. 2017), one snapshot at the bottom of each cosine
net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Dropout(.2), nn.Linear(96, 96), nn.ReLU(), nn.Dropout(.2), nn.Linear(96, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.12, momentum=0.9, weight_decay=1e-4)
BATCH, CYCLE, CYCLES = 54, 150, 4          # 25 steps an epoch
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=CYCLE, eta_min=1e-4)
ce = nn.CrossEntropyLoss()

# %% train
snapshots, step, window = [], 0, []
while step < CYCLE * CYCLES:
    for idx in torch.randperm(len(Xa)).split(BATCH):
        net.train()
        loss = ce(net(Xa[idx]), ya[idx])
        opt.zero_grad(); loss.backward(); opt.step(); sched.step()
        window.append(loss.item()); step += 1
        if step % 25 == 0:
            print(f"{step:4d} lr {opt.param_groups[0]['lr']:.4f} loss {sum(window[-25:]) / 25:.4f}")
        if step % CYCLE == 0:
            snapshots.append(copy.deepcopy(net).eval())
            with torch.no_grad():
                print("   snapshot", len(snapshots), "accuracy", (snapshots[-1](Xb).argmax(1) == yb).float().mean().item())

# %% ensemble
with torch.no_grad():
    prob = torch.stack([m(Xb).softmax(1) for m in snapshots]).mean(0)
print("ensemble accuracy", (prob.argmax(1) == yb).float().mean().item())
