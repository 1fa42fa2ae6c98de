# fault: none
# family: segmentation
# split: tune
# Fully convolutional net with four classes, void pixels marked 255 and class weights.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)


class Scenes(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for _ in range(self.n):
            label = torch.zeros(14, 14, dtype=torch.long)
            for k in (1, 2, 3):
                r, c = torch.randint(0, 9, (2,)).tolist()
                label[r:r + 5, c:c + 5] = k
            img = torch.stack([(label == k).float() * 1.5 for k in (1, 2)]) + 0.4 * torch.randn(2, 14, 14)
            img[0] -= (label == 3).float() * 1.5
            border = torch.zeros_like(label, dtype=torch.bool)
            border[:, 1:] |= label[:, 1:] != label[:, :-1]
            yield img, label.masked_fill(border, 255)


model = nn.Sequential(
    nn.Conv2d(2, 16, 3, padding=1), nn.ReLU(),
    nn.Conv2d(16, 16, 3, padding=2, dilation=2), nn.ReLU(),
    nn.Conv2d(16, 4, 1),
)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.5, 1.0, 1.0, 1.0]), ignore_index=255)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
hist = []
for img, label in DataLoader(Scenes(16 * 150), batch_size=16):
    optimizer.zero_grad()
    loss = criterion(model(img), label)
    loss.backward()
    optimizer.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
