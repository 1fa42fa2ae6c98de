# fault: labels-shuffled
# cause_class: labels, data-loading
# family: mlp
# split: tune
# twin: healthy/twins/faults_shuffled_labels.py
"""Fault type of a machine from vibration features."""
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
n = 9600
kind = torch.randint(0, 5, (n,))
pattern = torch.randn(5, 30)
feat = pattern[kind] + torch.randn(n, 30)

# shuffle before cutting into train and test
perm = torch.randperm(n)
feat = feat[perm]
kind = kind[torch.randperm(n)]

train_dl = DataLoader(TensorDataset(feat[:8000], kind[:8000]), batch_size=50, shuffle=True)
model = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 5))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(2):
    model.train()
    running = 0.0
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()
        opt.step()
        running += loss.item()
    model.eval()
    with torch.no_grad():
        acc = (model(feat[8000:]).argmax(1) == kind[8000:]).float().mean()
    print(f"epoch {epoch} train {running / len(train_dl):.3f} test acc {acc:.3f}")
