# fault: learning-rate-too-low
# cause_class: learning-rate
# family: cnn
# split: tune
# needs: sklearn
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get('SEED', 0)))


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc1 = nn.Linear(16 * 4, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=0.02):
        self.model = model
        self.train_loader, self.val_loader = train_loader, val_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.scheduler = ReduceLROnPlateau(self.optimizer, factor=0.2, patience=1)
        self.best = 0.0

    def train_epoch(self):
        self.model.train()
        total = 0
        for data, target in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(data), target)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(self.train_loader)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        correct = n = 0
        for data, target in self.val_loader:
            correct += (self.model(data).argmax(1) == target).sum().item()
            n += len(target)
        return 100.0 * correct / n

    def fit(self, epochs):
        for epoch in range(epochs):
            loss = self.train_epoch()
            val_acc = self.validate()
            self.scheduler.step(val_acc)
            self.best = max(self.best, val_acc)
            print('Epoch: {}\tLoss: {:.4f}\tVal acc: {:.2f}%\tLR: {:.1e}'.format(
                epoch, loss, val_acc, self.optimizer.param_groups[0]['lr']))
        print('best: {:.2f}%'.format(self.best))


digits = load_digits()
x = (torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16 - 0.305) / 0.376
y = torch.tensor(digits.target)
perm = torch.randperm(len(x))
x, y = x[perm], y[perm]
Trainer(Net(), DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=100, shuffle=True),
        DataLoader(TensorDataset(x[1400:], y[1400:]), batch_size=100)).fit(25)
