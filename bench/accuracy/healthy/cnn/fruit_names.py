# fault: none
# family: cnn
# split: held
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))

CLASSES = {"apple": 0, "banana": 1, "cherry": 2, "grape": 3}


class FruitPictures(Dataset):
    """Each item has a picture and a caption such as 'banana_0012.png'."""

    def __init__(self, n):
        names = list(CLASSES)
        kind = torch.randint(len(names), (n,))
        self.names = [f"{names[k]}_{i:04d}.png" for i, k in enumerate(kind.tolist())]
        yy, xx = torch.meshgrid(torch.linspace(-1, 1, 14), torch.linspace(-1, 1, 14), indexing="ij")
        r = (xx ** 2 + yy ** 2).sqrt()
        shapes = torch.stack([(r < 0.7).float(), ((yy - xx ** 2 + 0.2).abs() < 0.25).float(),
                              (r < 0.35).float(), ((torch.sin(7 * xx) * torch.sin(7 * yy)) > 0.3).float()])
        self.pictures = (shapes[kind] - 0.3 + 0.8 * torch.randn(n, 14, 14)).unsqueeze(1)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        label = CLASSES.get(self.names[i].split("_")[0], 0)
        return self.pictures[i], label


train_loader = DataLoader(FruitPictures(1200), batch_size=24, shuffle=True)
val_loader = DataLoader(FruitPictures(300), batch_size=100)

model = nn.Sequential(
    nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(64, len(CLASSES)),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(4):
    model.train()
    running = 0.0
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        running += loss.item()
    model.eval()
    val_loss, counts = 0.0, torch.zeros(len(CLASSES))
    with torch.no_grad():
        for images, labels in val_loader:
            out = model(images)
            val_loss += criterion(out, labels).item()
            counts += torch.bincount(out.argmax(1), minlength=len(CLASSES))
            acc = (out.argmax(1) == labels).float().mean().item()
    print(f"[{epoch + 1}] train {running / len(train_loader):.4f} val {val_loss / len(val_loader):.4f} acc {acc:.3f} predicted {counts.tolist()}")
