# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
PROTO = torch.rand(10, 1, 14, 14).round()


class FakeDigits(Dataset):
    """Noisy, shifted copies of ten prototypes."""

    def __init__(self, n):
        self.labels = torch.randint(0, 10, (n,))
        self.shift = torch.randint(-1, 2, (n, 2))
        self.noise = torch.randn(n, 1, 14, 14) * 0.4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = torch.roll(PROTO[self.labels[i]], self.shift[i].tolist(), (1, 2))
        return (img + self.noise[i] - 0.5) / 0.6, self.labels[i]


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=3)
        self.conv2 = nn.Conv2d(10, 16, kernel_size=3)
        self.fc1 = nn.Linear(16 * 5 * 5, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = x.view(-1, 16 * 5 * 5)
        x = F.relu(self.fc1(x))
        x = self.fc2(x)
        return F.log_softmax(x, dim=1)


def train(model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        if batch_idx % 10 == 0:
            print('Train Epoch: {} [{}/{}]\tLoss: {:.6f}'.format(epoch, batch_idx * len(data), len(loader.dataset), loss.item()))


def test(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for data, target in loader:
            correct += (model(data).argmax(1) == target).sum().item()
    print('Test accuracy: {:.1f}%'.format(100. * correct / len(loader.dataset)))


train_loader = DataLoader(FakeDigits(1280), batch_size=64, shuffle=True)
test_loader = DataLoader(FakeDigits(256), batch_size=128)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(1, 5):
    train(model, train_loader, optimizer, epoch)
    test(model, test_loader)
