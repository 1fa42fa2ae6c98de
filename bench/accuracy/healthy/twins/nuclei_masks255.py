# fault: none
# family: segmentation
# split: tune
"""Segment bright nuclei. Masks are stored like PNG files, background 0 and nucleus 255."""
import os
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Nuclei(Dataset):
    def __init__(self, n, size=20):
        g = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij"))
        self.images, self.masks = [], []
        for _ in range(n):
            m = torch.zeros(size, size, dtype=torch.bool)
            for _ in range(3):
                c = torch.randint(3, size - 3, (2, 1, 1))
                m |= ((g - c) ** 2).sum(0) < 7
            self.masks.append((m * 255).to(torch.uint8))
            self.images.append(m.float() + 0.4 * torch.randn(size, size))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i][None], self.masks[i][None].float() / 255


class UNetish(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU())
        self.mid = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(c, 2 * c, 3, padding=1), nn.ReLU(), nn.Upsample(scale_factor=2))
        self.dec = nn.Conv2d(3 * c, 1, 3, padding=1)

    def forward(self, x):
        e = self.enc(x)
        return self.dec(torch.cat([e, self.mid(e)], 1))


train_loader = DataLoader(Nuclei(400), batch_size=20, shuffle=True)
net = UNetish()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(5):
    net.train()
    for img, mask in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(img), mask)
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
