# fault: targets-not-scaled
# cause_class: data-scaling, labels
# family: timeseries
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Scaler:
    mean: float = 0.0
    std: float = 1.0

    def fit(self, s):
        self.mean, self.std = s.mean().item(), s.std().item()
        return self

    def transform(self, s):
        return (s - self.mean) / self.std

    def inverse(self, s):
        return s * self.std + self.mean


class Windows(Dataset):
    """Four weeks of sales of one shop in, tomorrow's sales out."""

    def __init__(self, series, scaler, span=28):
        self.series, self.scaler, self.span = scaler.transform(series), scaler, span

    def __len__(self):
        return len(self.series) - self.span

    def __getitem__(self, i):
        w = self.series[i:i + self.span + 1]
        return w[:-1, None], self.scaler.inverse(w[-1:])


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def sales(days=1400):
    t = torch.arange(days).float()
    week = torch.tensor([0.9, 0.85, 0.9, 1.0, 1.25, 1.5, 0.6])[t.long() % 7]
    season = 1 + 0.2 * torch.sin(t / 365 * 6.28)
    return 4200 * week * season * (1 + 0.05 * torch.randn(days))


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    s = sales()
    cut = 1100
    scaler = Scaler().fit(s[:cut])
    train = DataLoader(Windows(s[:cut], scaler), 32, shuffle=True)
    test = DataLoader(Windows(s[cut:], scaler), 300)
    model, loss_fn = Forecaster(), nn.MSELoss()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(10):
        model.train()
        total = 0.0
        for x, y in train:
            loss = loss_fn(model(x), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            x, y = next(iter(test))
            mape = ((model(x) - y).abs() / y).mean().item()
        print(f"epoch {epoch} mse {total / len(train):.1f} mape {mape:.3f}")


main()
