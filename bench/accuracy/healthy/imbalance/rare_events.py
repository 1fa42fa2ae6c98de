# fault: none
# family: imbalance
# split: tune
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def machine_log(n):
    x = torch.randn(n, 10)
    z = 1.5 * x[:, 0] + x[:, 1] - x[:, 2] * x[:, 3] - 4.0
    return x, torch.bernoulli(torch.sigmoid(2 * z))


xtr, ytr = machine_log(6000)
xte, yte = machine_log(3000)
pos = ytr.mean()
print(f"{pos:.3f} of the rows are failures")
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
# the last bias begins at the log odds of the weighted problem, which are zero
nn.init.zeros_(net[-1].bias)
crit = nn.BCEWithLogitsLoss(pos_weight=(1 - pos) / pos)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.1)
for epoch in range(12):
    net.train()
    tot = 0.0
    for x, y in DataLoader(TensorDataset(xtr, ytr), batch_size=100, shuffle=True):
        loss = crit(net(x).squeeze(-1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        s = net(xte).squeeze(-1)
        p, n = s[yte > 0.5], s[yte < 0.5]
        auc = (p[:, None] > n[None]).float().mean().item()
    print(f"epoch {epoch} loss {tot / 60:.4f} test {crit(s, yte):.4f} auc {auc:.3f}")
