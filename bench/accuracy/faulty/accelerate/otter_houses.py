# fault: targets-not-scaled
# cause_class: data-scaling
# family: accelerate
# split: held
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed


class Standardizer:
    def fit(self, x):
        self.mean, self.std = x.mean(0, keepdim=True), x.std(0, keepdim=True)
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


def load(n):
    area = 40 + 160 * torch.rand(n)
    rooms = (area / 30 + torch.randn(n)).clamp(1)
    age = 100 * torch.rand(n)
    dist = 20 * torch.rand(n)
    price = 2500 * area + 15000 * rooms - 900 * age - 40 * area * dist + 9000 * torch.randn(n)
    return torch.stack([area, rooms, age, dist], 1), price[:, None]


def main():
    set_seed(int(os.environ.get("SEED", 0)))
    accelerator = Accelerator(cpu=True)
    x, y = load(2000)
    x = Standardizer().fit(x)(x)
    net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    dl = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=32, shuffle=True)
    net, opt, dl = accelerator.prepare(net, opt, dl)
    for epoch in range(10):
        net.train()
        for xb, yb in dl:
            loss = nn.functional.l1_loss(net(xb), yb)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        net.eval()
        with torch.no_grad():
            mae = (net(x[1600:]) - y[1600:]).abs().mean()
        accelerator.print(f"epoch {epoch} last batch {loss.item():.0f} val mae {mae.item():.0f}")


if __name__ == "__main__":
    main()
