# fault: inputs-not-scaled
# cause_class: data-scaling
# family: cnn
# split: tune
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
STAMPS = torch.rand(8, 12, 12) > 0.55


class Letters(Dataset):
    def __init__(self, n):
        self.y = torch.randint(0, 8, (n,))
        grey = STAMPS[self.y].float() * 150 + torch.rand(n, 12, 12) * 90
        self.x = grey.clamp(0, 255).unsqueeze(1) / 255

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(24 * 9, 48), nn.ReLU(), nn.Linear(48, 8))

    def forward(self, images):
        return self.head(self.body(images / 255.0))


model = Reader()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(16):
    for x, y in DataLoader(Letters(1600), batch_size=50, shuffle=True):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, round(loss.item(), 3))
