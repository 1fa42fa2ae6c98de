# fault: overfit
# cause_class: overfit
# family: vision
# split: held
import os
import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
N_TRAIN = 90
EPOCHS = 80
call = torch.randn(4, 1, 12, 12) * 0.22


def birds(n):
    y = torch.randint(4, (n,))
    return call[y] + torch.randn(n, 1, 12, 12), y


train = DataLoader(TensorDataset(*birds(N_TRAIN)), batch_size=15, shuffle=True)
xv, yv = birds(400)
model = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1, stride=2), nn.ReLU(),
                      nn.Flatten(), nn.Linear(864, 96), nn.ReLU(), nn.Linear(96, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(EPOCHS):
    model.train()
    tl = 0.0
    for x, y in train:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        tl += loss.item() / len(train)
    model.eval()
    with torch.no_grad():
        out = model(xv)
        vl = criterion(out, yv).item()
    print(f"epoch {epoch + 1}/{EPOCHS} train_loss={tl:.4f} val_loss={vl:.4f} val_acc={(out.argmax(1) == yv).float().mean().item():.3f}")
