# fault: zero-grad
# cause_class: zero-grad
# family: rnn
# split: tune
# twin: healthy/twins/sine_forecast.py
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

seed = int(os.environ.get('SEED', '0'))
random.seed(seed)
torch.manual_seed(seed)


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.gru(x)
        return self.out(h[:, -1]).squeeze(-1)


def make_data(n, length=24):
    phase = torch.rand(n, 1) * 6.28
    freq = 0.2 + 0.3 * torch.rand(n, 1)
    t = torch.arange(length + 1).float()
    s = torch.sin(phase + freq * t) + 0.02 * torch.randn(n, length + 1)
    return s[:, :-1].unsqueeze(-1), s[:, -1]


def main():
    train = DataLoader(TensorDataset(*make_data(640)), batch_size=32, shuffle=True)
    model = Forecaster()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(10):
        model.train()
        total = 0.0
        for xb, yb in train:
            loss = F.mse_loss(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print('epoch %d  train mse %.4f' % (epoch + 1, total / len(train)))


if __name__ == '__main__':
    main()
