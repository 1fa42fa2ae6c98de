# fault: overfit
# cause_class: overfit, regularisation, epochs
# family: tabular
# split: held
# set: genet, unseen
# response to therapy from expression of 400 genes
import os
import numpy as np
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed)
torch.manual_seed(seed)

n_train, n_val, genes, informative = 72, 400, 400, 12
beta = np.zeros(genes)
beta[:informative] = np.random.choice([-1, 1], informative) * 1.0


def cohort(n):
    x = np.random.randn(n, genes)
    batch_effect = np.random.randn(n, 1) * 0.3
    logit = x @ beta * 0.9 + 0.8 * np.random.randn(n)
    return torch.tensor(x + batch_effect, dtype=torch.float32), torch.tensor(logit > 0).float()


xtr, ytr = cohort(n_train)
xva, yva = cohort(n_val)
net = nn.Sequential(nn.Linear(genes, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
lossf = nn.BCEWithLogitsLoss()

EPOCHS = 350
for epoch in range(EPOCHS):
    net.train()
    for idx in torch.randperm(n_train).split(24):
        loss = lossf(net(xtr[idx]).squeeze(1), ytr[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        out = net(xva).squeeze(1)
        vl = lossf(out, yva).item()
        va = ((out > 0) == (yva > 0.5)).float().mean().item()
        tl = lossf(net(xtr).squeeze(1), ytr).item()
    if epoch % 50 == 49:
        print(f"epoch {epoch + 1}: train {tl:.4f}  val {vl:.4f}  val acc {va:.3f}")
