# fault: none
# family: forecasting
# split: held
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class TideModel(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        y, _ = self.gru(x)
        return self.out(y[:, -1])


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.criterion = nn.MSELoss()

    def fit(self, train, test, epochs):
        for epoch in range(epochs):
            losses = [self.training_step(x, y) for x, y in train]
            print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}, val_loss {self.validate(test):.4f}")

    def training_step(self, x, y):
        loss = self.criterion(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def validate(self, loader):
        parts = [self.criterion(self.model(x), y).item() for x, y in loader]
        return sum(parts) / len(parts)


t = torch.arange(2600.)
tide = torch.sin(t * 2 * 3.14159 / 12.4) + 0.5 * torch.sin(t * 2 * 3.14159 / 24.8 + 0.7) + 0.05 * torch.randn(2600)
w = tide.unfold(0, 26, 1)
x, y = w[:, :25].unsqueeze(-1), w[:, 25:]
train = DataLoader(TensorDataset(x[:2000], y[:2000]), batch_size=40, shuffle=True)
test = DataLoader(TensorDataset(x[2030:], y[2030:]), batch_size=200)
Trainer(TideModel(), 3e-3).fit(train, test, 8)
