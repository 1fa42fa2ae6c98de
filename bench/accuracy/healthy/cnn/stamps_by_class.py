# fault: none
# family: cnn
# split: held
# stamps in 5 colours, the validation folder is sorted by colour
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
motive = 0.8 * torch.randn(5, 3, 1, 1)


def stamps(labels):
    return motive[labels] + 0.15 * torch.randn(len(labels), 3, 1, 1) + 1.0 * torch.randn(len(labels), 3, 10, 10)


ytr = torch.randint(5, (1500,))
yva = torch.arange(5).repeat_interleave(60)
train = DataLoader(TensorDataset(stamps(ytr), ytr), batch_size=50, shuffle=True)
valid = DataLoader(TensorDataset(stamps(yva), yva), batch_size=30)

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Flatten(), nn.Linear(400, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
criterion = nn.CrossEntropyLoss()


def validate():
    model.eval()
    loss = hits = 0
    with torch.no_grad():
        for x, y in valid:
            out = model(x)
            loss += criterion(out, y).item()
            hits += (out.argmax(1) == y).sum().item()
    return loss / len(valid), hits / len(yva)


for epoch in range(10):
    model.train()
    run = 0
    for x, y in train:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        run += loss.item()
    vl, va = validate()
    print(f"epoch {epoch + 1:2d}: train loss {run / len(train):.4f} | val loss {vl:.4f} | val acc {va:.3f}")
