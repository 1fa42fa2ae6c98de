# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: sequence
# split: held
# set: lynx, unseen
import os, math
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))


class VibrationDataset(Dataset):
    """Windows of 30 samples from 3 sensors. The machine state (ok, loose, worn) shows in how the
    start-up knock dies away; after that all windows look alike."""

    def __init__(self, n=1600, length=30):
        self.x = torch.randn(n, length, 3) * 0.3
        self.y = torch.randint(0, 3, (n,))
        t = torch.arange(length).float()
        for i in range(n):
            k = int(self.y[i])
            amp = 1.5 + 0.5 * torch.rand(1)
            freq = (0.25, 0.5, 0.9)[k]
            knock = amp * torch.sin(2 * math.pi * freq * t / 2 + torch.rand(1)) * torch.exp(-t / 8)
            self.x[i] += knock[:, None] * torch.tensor([1.0, -0.8, 0.6])
        self.x = (self.x - self.x.mean((0, 1))) / self.x.std((0, 1))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class StateLSTM(nn.Module):
    def __init__(self, n_features, hidden=32, layers=1, n_classes=3):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.lstm = nn.LSTM(n_features, hidden, layers)
        self.fc = nn.Linear(hidden, n_classes)

    def forward(self, x):
        # x: batch, time, feature
        out, (h, c) = self.lstm(x)
        return self.fc(out[:, -1, :])


data = VibrationDataset()
train_set, test_set = random_split(data, [1300, 300])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
test_loader = DataLoader(test_set, batch_size=32)

model = StateLSTM(3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(7):
    model.train()
    total, correct, count = 0.0, 0, 0
    for x, y in train_loader:
        optimizer.zero_grad()
        logits = model(x)
        loss = criterion(logits, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(y); correct += (logits.argmax(1) == y).sum().item(); count += len(y)
    model.eval()
    with torch.no_grad():
        acc = sum((model(x).argmax(1) == y).sum().item() for x, y in test_loader) / len(test_set)
    print(f"Epoch {epoch + 1}: train loss {total / count:.4f}, train acc {correct / count:.3f}, test acc {acc:.3f}")
