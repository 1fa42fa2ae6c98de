# fault: not-finite
# cause_class: non-finite, loss
# family: regression
# split: tune
import os, math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


class WindModel(nn.Module):
    """Predicts mean and variance of the normalised power of a turbine."""

    def __init__(self, n_in, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.mean = nn.Linear(hidden, 1)
        self.var = nn.Linear(hidden, 1)
        nn.init.constant_(self.var.bias, 1.0)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h).squeeze(-1), F.relu(self.var(h)).squeeze(-1)


def gaussian_nll(mu, var, y):
    return 0.5 * (torch.log(var) + (y - mu) ** 2 / var + math.log(2 * math.pi)).mean()


def make_data(n=3000):
    x = torch.randn(n, 5)
    noise = 0.05 + 0.3 * torch.sigmoid(2 * x[:, 1])
    y = torch.tanh(1.5 * x[:, 0]) + 0.4 * x[:, 2] * x[:, 3] + noise * torch.randn(n)
    return x, (y - y.mean()) / y.std()


def main():
    x, y = make_data()
    train = DataLoader(TensorDataset(x[:2500], y[:2500]), batch_size=64, shuffle=True)
    model = WindModel(5)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(12):
        model.train()
        total = 0.0
        for xb, yb in train:
            mu, var = model(xb)
            loss = gaussian_nll(mu, var, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            mu, var = model(x[2500:])
            rmse = (mu - y[2500:]).pow(2).mean().sqrt()
        print(f"epoch {epoch} nll {total / len(train):.4f} test rmse {rmse:.4f}")


if __name__ == "__main__":
    main()
