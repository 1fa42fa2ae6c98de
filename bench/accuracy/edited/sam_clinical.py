# fault: none
# family: tabular
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.63
# reaches: 0.9
"""Breast cancer table, a sixth of the training labels flipped by the annotator; sharpness-aware SGD."""
import os
import random

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def climb(self):
        ps = [p for g in self.param_groups for p in g["params"] if p.grad is not None]
        norm = torch.stack([p.grad.norm() for p in ps]).norm()
        rho = self.param_groups[0]["rho"]
        for p in ps:
            e = p.grad * (rho / (norm + 1e-12))
            p.add_(e)
            self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for g in self.param_groups:
            for p in g["params"]:
                if "e" in self.state[p]:
                    p.sub_(self.state[p].pop("e"))
        self.base.step()
        self.zero_grad()


def main():
    seed = int(os.environ.get("SEED", 0))
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    x, y = load_breast_cancer(return_X_y=True)
    order = rng.permutation(len(x))
    x, y = x[order], y[order]
    n = 380
    sc = StandardScaler().fit(x[:n])
    x = torch.tensor(sc.transform(x), dtype=torch.float32)
    y = torch.tensor(y, dtype=torch.float32)
    noisy = y[:n].clone()
    flip = torch.from_numpy(rng.random(n) < 1 / 6)
    noisy[flip] = 1 - noisy[flip]

    net = torch.nn.Sequential(torch.nn.Linear(30, 48), torch.nn.ReLU(), torch.nn.Linear(48, 48),
                              torch.nn.ReLU(), torch.nn.Linear(48, 1))
    opt = SAM(net.parameters(), torch.optim.SGD, rho=0.4, lr=0.05, momentum=0.9, weight_decay=2e-3)
    for epoch in range(40):
        perm = torch.randperm(n)
        tot = 0.0
        for idx in perm.split(38):
            first = F.binary_cross_entropy_with_logits(net(x[:n][idx]).squeeze(1), noisy[idx])
            first.backward()
            opt.climb()
            F.binary_cross_entropy_with_logits(net(x[:n][idx]).squeeze(1), noisy[idx]).backward()
            opt.descend()
            tot += first.item() * len(idx)
        if epoch % 4 == 3:
            with torch.no_grad():
                v = F.binary_cross_entropy_with_logits(net(x[n:]).squeeze(1), y[n:]).item()
            print(f"epoch {epoch + 1:3d}  train {tot / n:.4f}  held-out {v:.4f}")
    with torch.no_grad():
        acc = ((net(x[n:]).squeeze(1) > 0).float() == y[n:]).float().mean().item()
    print("majority", max(y[n:].mean().item(), 1 - y[n:].mean().item()))
    print("result: accuracy %.4f" % acc)


main()
