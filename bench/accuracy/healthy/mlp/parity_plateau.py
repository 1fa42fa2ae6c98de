# fault: none
# family: mlp
# split: tune
# Parity of three bits among ten: a long plateau at log 2 before the features are found.
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)


def make_data(n):
    bits = torch.randint(0, 2, (n, 10))
    label = bits[:, :3].sum(1) % 2
    return bits.float() * 2 - 1, label


train = DataLoader(TensorDataset(*make_data(3200)), batch_size=64, shuffle=True)
test_x, test_y = make_data(500)

model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

first = last = None
for epoch in range(8):
    model.train()
    for xb, yb in train:
        loss = loss_fn(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if first is None:
            first = loss.item()
        last = loss.item()
    model.eval()
    with torch.no_grad():
        logits = model(test_x)
        print(f"epoch {epoch} val loss {loss_fn(logits, test_y):.4f} acc {(logits.argmax(1) == test_y).float().mean():.3f}")
print(f"loss first {first:.4f} last {last:.4f}")
