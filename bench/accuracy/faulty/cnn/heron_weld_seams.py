# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: held
import os

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Seams(Dataset):
    """16x16 patches of weld seams: sound, pore, crack, undercut."""

    def __init__(self, n):
        self.labels = torch.randint(0, 4, (n,))
        self.patches = torch.stack([self.draw(int(k)) for k in self.labels])
        self.patches = self.patches - 0.3

    @staticmethod
    def draw(kind):
        img = 0.2 * torch.rand(1, 16, 16)
        r = int(torch.randint(6, 9, (1,)))
        img[0, r:r + 3] += 0.6
        a, b = torch.randint(2, 12, (2,)).tolist()
        if kind == 1:
            img[0, a:a + 3, b:b + 3] -= 0.5
        elif kind == 2:
            for i in range(8):
                img[0, min(15, a + i // 2), min(15, b + i)] += 0.9
        elif kind == 3:
            img[0, r + 3, :] -= 0.4
        return img

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.patches[i], self.labels[i]


def conv_bn(cin, cout, stride=1, norm=(0.1, 1e-5)):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout, *norm), nn.ReLU(inplace=True))


class SeamNet(nn.Module):
    def __init__(self, width=16, classes=4):
        super().__init__()
        self.stem = conv_bn(1, width)
        self.body = nn.Sequential(conv_bn(width, width * 2, 2), conv_bn(width * 2, width * 2), conv_bn(width * 2, width * 2, 2))
        self.fc = nn.Linear(width * 2, classes)

    def forward(self, x):
        return self.fc(self.body(self.stem(x)).mean((2, 3)))


train, test = Seams(1500), Seams(400)
net = SeamNet()
optimizer = optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
criterion = nn.CrossEntropyLoss()
loader = DataLoader(train, batch_size=32, shuffle=True)
for epoch in range(7):
    net.train()
    run, right = 0.0, 0
    for images, labels in loader:
        optimizer.zero_grad()
        out = net(images)
        loss = criterion(out, labels)
        loss.backward()
        optimizer.step()
        run += loss.item() * len(labels)
        right += (out.argmax(1) == labels).sum().item()
    net.eval()
    with torch.no_grad():
        out = torch.cat([net(x) for x, _ in DataLoader(test, 200)])
        test_loss = criterion(out, test.labels).item()
        test_acc = (out.argmax(1) == test.labels).float().mean().item()
    print(f"epoch {epoch} train {run / len(train):.3f} {right / len(train):.3f} test {test_loss:.3f} {test_acc:.3f}")
