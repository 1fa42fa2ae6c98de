# fault: overfit
# cause_class: overfit, regularisation, epochs
# family: mlp
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)

# expression of 200 genes for 260 patients, 3 subtypes; some genes differ between the subtypes
N, GENES = 260, 200
y = torch.randint(0, 3, (N,))
X = torch.randn(N, GENES)
signature = 0.45 * torch.randn(3, 25)
X[:, :25] += signature[y]
X = (X - X.mean(0)) / X.std(0)
unsure = torch.rand(N) < 0.15  # pathologists do not always agree
y = torch.where(unsure, torch.randint(0, 3, (N,)), y)
train_ds, val_ds = random_split(TensorDataset(X, y), [160, 100])
train_dl = DataLoader(train_ds, batch_size=16, shuffle=True)
val_dl = DataLoader(val_ds, batch_size=100)


class SubtypeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(GENES, 256), nn.ReLU(),
            nn.Linear(256, 256), nn.ReLU(),
            nn.Linear(256, 3))

    def forward(self, x):
        return self.net(x)


def run(model, loader, optimizer=None):
    model.train(optimizer is not None)
    loss_sum = hits = n = 0
    with torch.set_grad_enabled(optimizer is not None):
        for xb, yb in loader:
            out = model(xb)
            loss = nn.functional.cross_entropy(out, yb)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            loss_sum += loss.item() * len(yb)
            hits += (out.argmax(1) == yb).sum().item()
            n += len(yb)
    return loss_sum / n, hits / n


model = SubtypeNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(60):
    tl, ta = run(model, train_dl, optimizer)
    vl, va = run(model, val_dl)
    if epoch % 4 == 0 or epoch == 59:
        print(f"epoch {epoch:3d}: train {tl:.4f} / {ta:.2f}   val {vl:.4f} / {va:.2f}")
