import time

import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(11)
torch.manual_seed(11)

KINDS = 5
LENGTH = 256


def heartbeat(kind):
    t = np.linspace(0, 1, LENGTH)
    centre = 0.45 + 0.05 * rng.standard_normal()
    width = [0.015, 0.03, 0.015, 0.02, 0.04][kind]
    beat = 1.2 * np.exp(-((t - centre) ** 2) / (2 * width**2))
    if kind != 2:
        beat += 0.2 * np.exp(-((t - centre + 0.16) ** 2) / (2 * 0.02**2))
    beat += (0.35 if kind != 3 else -0.35) * np.exp(-((t - centre - 0.25) ** 2) / (2 * 0.05**2))
    return beat + 0.1 * np.sin(2 * np.pi * (t + rng.random())) + 0.12 * rng.standard_normal(LENGTH)


labels = rng.integers(0, KINDS, 4096)
signals = np.stack([heartbeat(k) for k in labels]).astype(np.float32)
signals = torch.from_numpy(signals).unsqueeze(1)
labels = torch.from_numpy(labels)

# patients of the first study train, those of the second test
train_set = torch.utils.data.TensorDataset(signals[:2048], labels[:2048])
test_set = torch.utils.data.TensorDataset(signals[2048:], labels[2048:])
train_loader = torch.utils.data.DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = torch.utils.data.DataLoader(test_set, batch_size=64)


def conv(a, b, stride=1):
    return nn.Sequential(nn.Conv1d(a, b, 7, stride=stride, padding=3), nn.BatchNorm1d(b), nn.ReLU())


model = nn.Sequential(
    conv(1, 32),
    conv(32, 64, 2),
    conv(64, 64),
    conv(64, 128, 2),
    conv(128, 128),
    nn.AdaptiveAvgPool1d(1),
    nn.Flatten(),
    nn.Dropout(0.2),
    nn.Linear(128, KINDS),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)


def run_epoch(loader, training):
    model.train(training)
    total, right, seen = 0.0, 0, 0
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        if training:
            optimizer.step()
        total += loss.item() * len(y)
        right += (out.argmax(1) == y).sum().item()
        seen += len(y)
    return total / seen, right / seen


start = time.perf_counter()
for epoch in range(1, 7):
    train_loss, train_acc = run_epoch(train_loader, True)
    test_loss, test_acc = run_epoch(test_loader, False)
    print(f"{epoch:2d}  train {train_loss:.3f} {train_acc:.1%}  test {test_loss:.3f} {test_acc:.1%}")
print(f"{time.perf_counter() - start:.1f} s")
