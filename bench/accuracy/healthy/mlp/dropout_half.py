# fault: none
# family: mlp
# split: tune
# Dropout 0.5 in every layer: half of all activations are zero, train loss above validation loss.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", "0")))

centres = torch.randn(8, 24)
labels = torch.randint(0, 8, (3000,))
feats = centres[labels] + 0.9 * torch.randn(3000, 24)
train_set, val_set = random_split(TensorDataset(feats, labels), [2500, 500])
train_dl = DataLoader(train_set, batch_size=50, shuffle=True)
val_dl = DataLoader(val_set, batch_size=250)

model = nn.Sequential(
    nn.Linear(24, 128), nn.ReLU(), nn.Dropout(0.5),
    nn.Linear(128, 128), nn.ReLU(), nn.Dropout(0.5),
    nn.Linear(128, 8),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

trace = []
for epoch in range(6):
    model.train()
    total = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
        trace.append(loss.item())
    model.eval()
    with torch.no_grad():
        val = sum(criterion(model(xb), yb).item() for xb, yb in val_dl) / len(val_dl)
    print(f"epoch {epoch}: train {total / len(train_set):.4f} val {val:.4f}")
print(f"loss first {trace[0]:.4f} last {trace[-1]:.4f}")
