# fault: none
# family: tabular
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.1
# reaches: 0.94
import os, random
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

X, y = load_digits(return_X_y=True)
X = (X / 16.0).astype(np.float32)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, stratify=y, random_state=SEED)
Xtr, Xte, ytr, yte = map(torch.from_numpy, (Xtr, Xte, ytr, yte))

net = nn.Sequential(
    nn.Dropout(0.2),
    nn.Linear(64, 256), nn.BatchNorm1d(256), nn.GELU(), nn.Dropout(0.6),
    nn.Linear(256, 256), nn.BatchNorm1d(256), nn.GELU(), nn.Dropout(0.6),
    nn.Linear(256, 10),
)
EPOCHS, BATCH, SMOOTH = 45, 96, 0.2
loader = DataLoader(TensorDataset(Xtr, ytr), batch_size=BATCH, shuffle=True, drop_last=True)
opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS * len(loader))
crit = nn.CrossEntropyLoss(label_smoothing=SMOOTH)
beta = torch.distributions.Beta(0.8, 0.8)


def accuracy():
    net.eval()
    with torch.no_grad():
        hit = (net(Xte).argmax(1) == yte).float().mean().item()
    net.train()
    return hit


for epoch in range(EPOCHS):
    running = []
    for xb, yb in loader:
        lam = beta.sample().item()
        mate = torch.randperm(len(xb))
        logits = net(lam * xb + (1 - lam) * xb[mate])
        loss = lam * crit(logits, yb) + (1 - lam) * crit(logits, yb[mate])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        running.append(loss.item())
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} mixup loss {np.mean(running):.3f} test acc {accuracy():.4f}")

print("majority:", (yte == ytr.bincount().argmax()).float().mean().item())
print(f"result: accuracy {accuracy():.4f}")
