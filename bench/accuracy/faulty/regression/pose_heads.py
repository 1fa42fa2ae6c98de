# fault: regression-targets-into-classification-loss
# cause_class: loss, labels
# family: regression
# split: held
# set: kvist, unseen
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Joints(Dataset):
    """Angles of a planar three-link arm from the positions of its ends (both standardised)."""

    def __init__(self, n, g):
        q = torch.rand(n, 3, generator=g) * 1.6 - 0.8
        c = q.cumsum(1)
        pts = torch.cat([c.cos().cumsum(1), c.sin().cumsum(1)], 1)
        self.x = (pts - pts.mean(0)) / pts.std(0)
        self.q = (q - q.mean(0)) / q.std(0)

    def __len__(self):
        return len(self.q)

    def __getitem__(self, i):
        return {"points": self.x[i], "angles": self.q[i]}


LOSSES = {"ce": nn.CrossEntropyLoss, "mse": nn.MSELoss, "l1": nn.L1Loss, "huber": nn.HuberLoss}


class Engine:
    def __init__(self, net, loss="ce", lr=2e-3):
        self.net, self.crit = net, LOSSES[loss]()
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    def fit(self, dl, epochs):
        for e in range(epochs):
            s = 0.0
            for batch in dl:
                loss = self.crit(self.net(batch["points"]), batch["angles"])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                s += loss.item()
            print(f"epoch {e} loss {s / len(dl):.4f}")

    @torch.no_grad()
    def rmse(self, ds):
        self.net.eval()
        return (self.net(ds.x) - ds.q).pow(2).mean().sqrt().item()


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    train, test = Joints(1200, g), Joints(300, g)
    net = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    eng = Engine(net)
    eng.fit(DataLoader(train, 32, shuffle=True), 8)
    print("rmse", eng.rmse(test))
