# fault: not-shuffled
# cause_class: data-loading
# family: cnn
# split: tune
"""Five kinds of texture, one array of patches for each; they are put together and trained on with a loader."""
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)
KINDS, EACH = 5, 320


def patches(kind, n):
    """n patches of 12x12 with stripes in the direction of their kind"""
    yy, xx = np.mgrid[0:12, 0:12]
    angle = np.pi * kind / KINDS + rng.normal(0, 0.08, (n, 1, 1))
    phase = rng.uniform(0, 2 * np.pi, (n, 1, 1))
    waves = np.sin(1.3 * (xx * np.cos(angle) + yy * np.sin(angle)) + phase)
    return waves + 0.3 * rng.normal(size=(n, 12, 12))


images = np.concatenate([patches(k, EACH) for k in range(KINDS)])
kinds = np.repeat(np.arange(KINDS), EACH)
train = TensorDataset(torch.tensor(images, dtype=torch.float32)[:, None], torch.tensor(kinds))
test_x = torch.tensor(np.concatenate([patches(k, 60) for k in range(KINDS)]), dtype=torch.float32)[:, None]
test_y = torch.tensor(np.repeat(np.arange(KINDS), 60))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU())
        self.fc = nn.Linear(16 * 9, KINDS)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


net, loss_fn = Net(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
loader = DataLoader(train, batch_size=32)
for epoch in range(5):
    net.train()
    for x, y in loader:
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = (net(test_x).argmax(1) == test_y).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} test accuracy {acc:.3f}")
