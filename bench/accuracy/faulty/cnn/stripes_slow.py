# fault: learning-rate-too-low
# cause_class: learning-rate
# family: cnn
# split: tune
# twin: healthy/twins/stripes_slow.py
import os
import torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

angles = torch.arange(4) * 3.14159 / 4
yy, xx = torch.meshgrid(torch.arange(12.), torch.arange(12.), indexing="ij")


def load(n):
    y = torch.randint(4, (n,))
    a = angles[y].view(-1, 1, 1)
    ph = 6.28 * torch.rand(n, 1, 1)
    img = torch.sin(1.2 * (xx * a.cos() + yy * a.sin()) + ph) + 0.3 * torch.randn(n, 12, 12)
    return img.unsqueeze(1), y


Xtrain, ytrain = load(1000)
Xtest, ytest = load(250)
model = nn.Sequential(nn.Conv2d(1, 12, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(192, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
for epoch in range(6):
    model.train()
    for i in torch.randperm(1000).split(25):
        optimizer.zero_grad()
        loss = criterion(model(Xtrain[i]), ytrain[i])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        acc = (model(Xtest).argmax(1) == ytest).float().mean().item()
    print(f"epoch {epoch}: loss={loss.item():.4f} acc={acc:.3f}")
