# fault: dropout-on-output
# cause_class: regularisation, structure
# family: regression
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(int(os.environ.get("SEED", 0)))
torch.manual_seed(int(os.environ.get("SEED", 0)))

CONFIG = {
    "hidden_sizes": [64, 32],
    "dropout": 0.3,
    "lr": 1e-3,
    "batch_size": 32,
    "epochs": 15,
}

# hourly bike rentals
n = 2000
hour, temp, wind = np.random.uniform(0, 24, n), np.random.uniform(-5, 32, n), np.random.gamma(2, 5, n)
workday = (np.random.rand(n) < 5 / 7).astype(float)
peak = np.exp(-((hour - 8) / 1.5) ** 2) + np.exp(-((hour - 17.5) / 2) ** 2)
leisure = np.exp(-((hour - 14) / 4) ** 2)
count = 150 + 260 * workday * peak + 220 * (1 - workday) * leisure + 7 * temp - 3 * wind + 15 * np.random.randn(n)

X = np.stack([np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi), np.sin(hour / 12 * 2 * np.pi),
              np.cos(hour / 12 * 2 * np.pi), (temp - 13.5) / 10.7, (wind - 10) / 7, workday - 0.71], axis=1)
y = (count - count.mean()) / count.std()
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32).unsqueeze(1)
train_ds, test_X, test_y = TensorDataset(X[:1600], y[:1600]), X[1600:], y[1600:]


class DemandNet(nn.Module):
    def __init__(self, n_in, n_out, hidden_sizes, dropout):
        super().__init__()
        sizes = [n_in] + list(hidden_sizes) + [n_out]
        layers = []
        for i in range(len(sizes) - 1):
            layers.append(nn.Linear(sizes[i], sizes[i + 1]))
            if i < len(sizes) - 2:
                layers.append(nn.ReLU())
        if dropout > 0:
            layers.append(nn.Dropout(dropout))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


model = DemandNet(7, 1, CONFIG["hidden_sizes"], CONFIG["dropout"])
optim = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
mse = nn.MSELoss()
loader = DataLoader(train_ds, batch_size=CONFIG["batch_size"], shuffle=True)

for ep in range(CONFIG["epochs"]):
    model.train()
    hist = []
    for xb, yb in loader:
        optim.zero_grad()
        loss = mse(model(xb), yb)
        loss.backward()
        optim.step()
        hist.append(loss.item())
    model.eval()
    with torch.no_grad():
        test = mse(model(test_X), test_y).item()
    print(f"ep {ep:2d} train mse {np.mean(hist):.4f} test mse {test:.4f}")
