"""Bird calls from spectrograms: trains, then looks at the validation calls once an epoch, keeps the best weights."""
import copy
import time

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split


def calls(n, species=9, bands=40, frames=64):
    f = torch.linspace(0, 1, bands).view(1, bands, 1)
    t = torch.linspace(0, 1, frames).view(1, 1, frames)
    kind = torch.randint(species, (n,))
    k = kind.view(-1, 1, 1).float()
    pitch = 0.2 + 0.07 * k + 0.2 * torch.sin((2 + k % 3) * 6.28 * t + 6.28 * torch.rand(n, 1, 1)) * (0.5 + 0.5 * (k > 4))
    spectrogram = torch.exp(-((f - pitch) ** 2) / 0.002) + 0.6 * torch.rand(n, bands, frames)
    return TensorDataset(spectrogram.unsqueeze(1), kind)


class BirdNet(nn.Module):
    def __init__(self, species=9):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 24, (5, 3), padding=(2, 1)), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 40, 3, padding=1), nn.BatchNorm2d(40), nn.ReLU(), nn.MaxPool2d((2, 1)),
        )
        self.gru = nn.GRU(400, 96, batch_first=True)
        self.fc = nn.Linear(96, species)

    def forward(self, x):
        h = self.conv(x).flatten(1, 2).transpose(1, 2)
        return self.fc(self.gru(h)[0].mean(1))


def evaluate(model, loader, criterion):
    model.eval()
    loss = right = 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += criterion(out, y).item() * len(y)
            right += (out.argmax(1) == y).sum().item()
    return loss / len(loader.dataset), right / len(loader.dataset)


if __name__ == "__main__":
    torch.manual_seed(14)
    train, valid = random_split(calls(2560), [2048, 512])
    train_loader = DataLoader(train, 64, shuffle=True)
    valid_loader = DataLoader(valid, 128)
    model, criterion = BirdNet(), nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    best, weights = 0.0, None
    start = time.time()
    for epoch in range(5):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        valid_loss, accuracy = evaluate(model, valid_loader, criterion)
        if accuracy > best:
            best, weights = accuracy, copy.deepcopy(model.state_dict())
        print(f"epoch {epoch + 1} train {loss.item():.3f} valid {valid_loss:.3f} {accuracy:.1%} {time.time() - start:.1f} s")
    model.load_state_dict(weights)
