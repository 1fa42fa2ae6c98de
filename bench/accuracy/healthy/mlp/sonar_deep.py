# fault: none
# family: mlp
# split: held
"""Ten layers with batch normalisation on sonar echoes."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
CLASSES = 5


def echoes(n):
    y = torch.randint(CLASSES, (n,))
    t = torch.linspace(0, 1, 32)
    delay = 0.15 + 0.15 * y[:, None] + 0.02 * torch.randn(n, 1)
    return torch.exp(-((t - delay) / 0.05) ** 2) * 2 + 0.5 * torch.randn(n, 32), y


layers, width = [nn.Linear(32, 48)], 48
for _ in range(9):
    layers += [nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width)]
layers += [nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, CLASSES)]
model = nn.Sequential(*layers)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
xt, yt = echoes(2000)
xv, yv = echoes(500)


def check(name):
    model.eval()
    with torch.no_grad():
        out = model(xv)
    print(f"{name}: val loss {criterion(out, yv).item():.4f} acc {(out.argmax(1) == yv).float().mean().item():.3f}")


check("untrained")
for epoch in range(10):
    model.train()
    total = 0.0
    for idx in torch.randperm(2000).split(40):
        optimizer.zero_grad()
        loss = criterion(model(xt[idx]), yt[idx])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch + 1} train loss {total / 50:.4f}")
    check("   ")
