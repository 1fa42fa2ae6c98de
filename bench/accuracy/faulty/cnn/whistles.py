# fault: inputs-constant
# cause_class: data-scaling, data-loading
# family: cnn
# split: held
# twin: healthy/cnn/whistles.py
"""Rising or falling whistle, or none, in a small spectrogram."""
import os
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Spectrograms(Dataset):
    def __init__(self, n, frames=16, bands=16):
        self.kind = torch.randint(0, 3, (n,))
        t = torch.arange(frames).float()
        start = torch.rand(n) * 5 + 1
        slope = torch.where(self.kind == 0, 0.6, -0.6)
        start = torch.where(self.kind == 1, start + 9, start)
        track = start[:, None] + slope[:, None] * t
        level = torch.exp(-((torch.arange(bands).view(1, bands, 1) - track[:, None, :]) / 1.2) ** 2)
        level = level * (self.kind != 2).float().view(-1, 1, 1)
        self.power = (level * 110 + 140 * torch.rand(n, bands, frames)).clamp(0, 254)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, i):
        spec = self.power[i].unsqueeze(0)
        return (spec / 255).to(torch.uint8).float(), self.kind[i]


train, test = Spectrograms(1500), Spectrograms(300)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(256, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(7):
    model.train()
    run = 0.0
    loader = DataLoader(train, batch_size=30, shuffle=True)
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run += loss.item()
    model.eval()
    correct, vloss = 0, 0.0
    with torch.no_grad():
        for x, y in DataLoader(test, batch_size=100):
            o = model(x)
            vloss += criterion(o, y).item() / 3
            correct += (o.argmax(1) == y).sum().item()
    print(f"epoch {epoch}: train {run / len(loader):.4f} val {vloss:.4f} accuracy {correct / 300:.3f}")
