# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading
# family: sensors
# split: held
"""State of a machine from temperature, pressure, vibration and current; three states."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
CENTER = torch.tensor([[60.0, 4.0, 0.8, 12.0], [72.0, 3.6, 1.4, 14.0], [78.0, 4.6, 1.1, 17.0]])
SPREAD = torch.tensor([5.0, 0.4, 0.25, 1.5])


def record(n):
    y = torch.randint(0, 3, (n,))
    return CENTER[y] + SPREAD * torch.randn(n, 4), y


class Standardize:
    def __init__(self, x):
        self.mean, self.std = x.mean(0), x.std(0)

    def __call__(self, x):
        return (x - self.mean) / self.std


class SensorDataset(Dataset):
    def __init__(self, x, y, transform=None):
        self.x, self.y, self.transform = x, y, transform

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.transform is not None:
            x = self.transform(x)
        return x, self.y[i]


class HealthNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.ReLU(),
                                 nn.Linear(32, 3))

    def forward(self, x):
        return self.net(x)


class Pipeline:
    def __init__(self, batch_size=64):
        xt, yt = record(3000)
        xv, yv = record(600)
        self.scale = Standardize(xt)
        self.train = DataLoader(SensorDataset(xt, yt, self.scale), batch_size, shuffle=True)
        self.valid = DataLoader(SensorDataset(xv, yv), batch_size=200)


def main(epochs=5, lr=2e-3):
    pipe, net = Pipeline(), HealthNet()
    opt, loss_fn = torch.optim.Adam(net.parameters(), lr=lr), nn.CrossEntropyLoss()
    for epoch in range(epochs):
        net.train()
        tl = 0.0
        for x, y in pipe.train:
            loss = loss_fn(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tl += loss.item() / len(pipe.train)
        net.eval()
        vl = hit = 0
        with torch.no_grad():
            for x, y in pipe.valid:
                out = net(x)
                vl += loss_fn(out, y).item() / len(pipe.valid)
                hit += (out.argmax(1) == y).sum().item()
        print(f"epoch {epoch} train {tl:.4f} valid {vl:.4f} acc {hit / len(pipe.valid.dataset):.3f}")


main()
