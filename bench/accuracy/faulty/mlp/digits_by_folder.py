# fault: not-shuffled
# cause_class: data-loading
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", "0")))


class FolderLike(Dataset):
    """Goes through class folders 0/, 1/, ... like an image folder would."""

    def __init__(self, images, target, transform=None):
        self.samples = []
        for cls in range(10):
            for img in images[target == cls]:
                self.samples.append((img, cls))
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        img, cls = self.samples[i]
        return (self.transform(img) if self.transform else img), cls


digits = load_digits()
rest = torch.randperm(len(digits.target)).numpy()
images, target = digits.images[rest], digits.target[rest]
to_tensor = lambda im: (torch.tensor(im, dtype=torch.float32) / 16 - 0.3) / 0.37

trainset = FolderLike(images[:1440], target[:1440], to_tensor)
testset = FolderLike(images[1440:], target[1440:], to_tensor)
trainloader = DataLoader(trainset, batch_size=16, num_workers=0)
testloader = DataLoader(testset, batch_size=128)

net = nn.Sequential(nn.Flatten(), nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 48), nn.ReLU(), nn.Linear(48, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)

for epoch in range(8):
    net.train()
    for i, (x, y) in enumerate(trainloader):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        if i % 15 == 0:
            print(f"  {epoch}/{i} loss {loss.item():.4f}")
    net.eval()
    hit = tot = 0
    with torch.no_grad():
        for x, y in testloader:
            hit += (net(x).argmax(1) == y).sum().item()
            tot += len(y)
    print(f"epoch {epoch} test acc {hit / tot:.3f}")
