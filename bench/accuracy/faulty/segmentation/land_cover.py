# fault: loss-misused
# cause_class: labels, loss
# family: segmentation
# split: tune
"""Per-pixel land cover: 0 water, 1 field, 2 forest."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
COLOURS = torch.tensor([[-1.0, -0.5, 1.0], [0.8, 0.8, -0.5], [-0.6, 0.7, -0.8]])


class Tiles(Dataset):
    def __init__(self, n, size=16):
        coarse = torch.randint(0, 3, (n, 4, 4))
        self.mask = coarse.repeat_interleave(size // 4, 1).repeat_interleave(size // 4, 2)
        self.image = COLOURS[self.mask].permute(0, 3, 1, 2) + 0.9 * torch.randn(n, 3, size, size)

    def __len__(self):
        return len(self.mask)

    def __getitem__(self, i):
        return self.image[i], self.mask[i]


net = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 3, 1),
)
criterion = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
train = DataLoader(Tiles(400), batch_size=16, shuffle=True)
val = DataLoader(Tiles(80), batch_size=80)

for epoch in range(6):
    net.train()
    running = 0.0
    for image, mask in train:
        optimizer.zero_grad()
        loss = criterion(net(image), mask)
        loss.backward()
        optimizer.step()
        running += loss.item()
    net.eval()
    with torch.no_grad():
        for image, mask in val:
            pred = net(image).argmax(1)
            per_class = [round((pred[mask == c] == c).float().mean().item(), 3) for c in range(3)]
            print(f"epoch {epoch} loss {running / len(train):.4f} accuracy {(pred == mask).float().mean():.3f} {per_class}")
