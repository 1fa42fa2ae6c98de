# fault: identical-batches
# cause_class: data-loading
# family: rnn
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class GestureDataset(Dataset):
    """accelerometer traces of 30 samples with 3 axes; five gestures"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 5, (n,), generator=g)
        t = torch.linspace(0, 1, 30)
        speed = 1 + 0.2 * torch.randn(n, 1, generator=g)
        ph = 0.8 * torch.randn(n, 1, generator=g)
        k = self.y[:, None].float()
        a = torch.sin(6.28 * (1 + 0.6 * k) * speed * t + ph)
        b = torch.cos(6.28 * (3 - 0.5 * k) * speed * t + ph)
        c = (t - 0.2 * k) * a
        self.x = torch.stack([a, b, c], dim=2) + 0.3 * torch.randn(n, 30, 3, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class GestureLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 32, batch_first=True)
        self.fc = nn.Linear(32, 5)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.fc(h[-1])


SEED = int(os.environ.get("SEED", 0))
train_loader = DataLoader(GestureDataset(1500, SEED + 1), batch_size=32, shuffle=False)
test_loader = DataLoader(GestureDataset(300, SEED + 2), batch_size=150)

model = GestureLSTM()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()
max_iters, eval_every = 400, 50

model.train()
for it in range(1, max_iters + 1):
    inputs, targets = next(iter(train_loader))
    loss = criterion(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % eval_every == 0:
        model.eval()
        good = seen = 0
        with torch.no_grad():
            for x, y in test_loader:
                good += (model(x).argmax(1) == y).sum().item()
                seen += len(y)
        model.train()
        print(f"iter {it}: loss {loss.item():.4f}, test acc {good / seen:.3f}")
