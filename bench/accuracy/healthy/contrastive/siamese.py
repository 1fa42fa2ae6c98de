# fault: none
# family: contrastive
# split: tune
# Siamese net, one encoder called twice per step, contrastive margin loss.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Pairs(Dataset):
    def __init__(self, n):
        self.people = torch.randn(30, 1, 8, 8)
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        a = int(torch.randint(30, ()))
        same = i % 2
        b = a if same else (a + int(torch.randint(1, 30, ()))) % 30
        f = lambda k: self.people[k] + 0.5 * torch.randn(1, 8, 8)
        return f(a), f(b), torch.tensor(float(same))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 16))

    def once(self, x):
        return self.conv(x)

    def forward(self, a, b):
        return self.once(a), self.once(b)


def contrastive(ea, eb, same, margin=1.5):
    d = F.pairwise_distance(ea, eb)
    return (same * d**2 + (1 - same) * F.relu(margin - d) ** 2).mean()


model = Siamese()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
log = []
for epoch in range(4):
    for a, b, same in DataLoader(Pairs(1600), batch_size=32, shuffle=True):
        ea, eb = model(a, b)
        loss = contrastive(ea, eb, same)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
print(f"loss first {log[0]:.4f} last {sum(log[-10:]) / 10:.4f}")
