# fault: class-imbalance
# cause_class: imbalance, loss
# family: tabular
# split: held
# set: ibis, unseen
import os

import numpy as np
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
rs = np.random.RandomState(SEED)

# transactions: V1..V16 plus the standardised amount
N, RATE = 8000, 0.01
y = (rs.rand(N) < RATE).astype(np.float32)
X = rs.randn(N, 17).astype(np.float32)
X[:, :4] += 0.6 * y[:, None]
X[:, 4:7] -= 0.5 * y[:, None]
X[:, 16] = np.log1p(np.abs(X[:, 16]) * 3) - 1

order = rs.permutation(N)
tr, te = order[:6400], order[6400:]
X_tr, y_tr = torch.from_numpy(X[tr]), torch.from_numpy(y[tr])
X_te, y_te = torch.from_numpy(X[te]), torch.from_numpy(y[te])


class FraudNet(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 16), nn.ReLU(),
                                    nn.Linear(16, 2))

    def forward(self, x):
        return self.layers(x)


model = FraudNet(X.shape[1])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
criterion = nn.CrossEntropyLoss()
batch = 64

for epoch in range(8):
    model.train()
    perm = torch.randperm(len(X_tr))
    losses = []
    for i in range(0, len(perm), batch):
        idx = perm[i:i + batch]
        optimizer.zero_grad()
        loss = criterion(model(X_tr[idx]), y_tr[idx].long())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        pred = model(X_te).argmax(1)
    acc = (pred == y_te).float().mean().item()
    print(f"Epoch {epoch + 1} loss {np.mean(losses):.4f} accuracy {acc:.4f} flagged {int(pred.sum())}")
recall = ((pred == 1) & (y_te == 1)).sum().item() / max(1, int(y_te.sum()))
print("fraud recall", recall)
