# fault: model-replaced
# cause_class: optimizer, not-updated
# family: accelerate
# split: tune
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.classifier = nn.Linear(64, classes)

    def forward(self, x):
        return self.classifier(self.body(x))


def loaders(x, y, batch):
    n = int(0.8 * len(x))
    return (DataLoader(TensorDataset(x[:n], y[:n]), batch_size=batch, shuffle=True),
            DataLoader(TensorDataset(x[n:], y[n:]), batch_size=256))


def fit(acc, model, opt, train, val, epochs, tag):
    for ep in range(epochs):
        model.train()
        tot = 0.0
        for xb, yb in train:
            loss = nn.functional.cross_entropy(model(xb), yb)
            acc.backward(loss)
            opt.step()
            opt.zero_grad()
            tot += loss.item()
        model.eval()
        hit = cnt = 0
        with torch.no_grad():
            for xb, yb in val:
                hit += (model(xb).argmax(1) == yb).sum().item()
                cnt += len(yb)
        acc.print(f"{tag} epoch {ep} loss {tot / len(train):.4f} acc {hit / cnt:.3f}")


def main():
    set_seed(int(os.environ.get("SEED", 0)))
    acc = Accelerator(cpu=True)
    d = load_digits()
    x = torch.tensor(d.data, dtype=torch.float32) / 8 - 1
    y = torch.tensor(d.target)
    model = Net(10)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    # reading the digits needs another head than telling odd from even
    state = model.state_dict()
    model = Net(10)
    model.load_state_dict({k: v for k, v in state.items() if k.startswith("body")}, strict=False)
    train, val = loaders(x, y, 32)
    model, opt, train, val = acc.prepare(model, opt, train, val)
    fit(acc, model, opt, train, val, 6, "digits")


main()
