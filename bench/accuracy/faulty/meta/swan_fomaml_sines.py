# fault: no-gradient
# cause_class: not-updated, structure, optimizer
# family: meta
# split: tune
# first-order MAML on sine regression, an inner learner cloned for every task
import copy
import math
import os
import random

import torch
from torch import nn
import torch.nn.functional as F


class Sines:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def task(self, shots):
        amp, ph = self.rng.uniform(0.5, 2.0), self.rng.uniform(0, math.pi)

        def draw(n):
            x = torch.rand(n, 1) * 6 - 3
            return x, amp * torch.sin(x + ph)
        return draw(shots), draw(shots)


def build():
    return nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))


class MetaLearner:
    def __init__(self, net, inner_lr=0.02, inner_steps=3, meta_lr=2e-3):
        self.net = net
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.opt = torch.optim.Adam(net.parameters(), lr=meta_lr)

    def adapt(self, support):
        x, y = support
        learner = copy.deepcopy(self.net)
        inner = torch.optim.SGD(learner.parameters(), lr=self.inner_lr)
        for _ in range(self.inner_steps):
            inner.zero_grad()
            F.mse_loss(learner(x), y).backward()
            inner.step()
        inner.zero_grad()
        return learner

    def meta_step(self, tasks):
        self.opt.zero_grad()
        total = 0.0
        for support, query in tasks:
            learner = self.adapt(support)
            loss = F.mse_loss(learner(query[0]), query[1]) / len(tasks)
            loss.backward()
            total += loss.item()
        self.opt.step()
        return total


def main():
    seed = int(os.environ.get("SEED", "0"))
    torch.manual_seed(seed)
    source, fixed = Sines(seed), Sines(seed + 1)
    val = [fixed.task(10) for _ in range(25)]
    meta = MetaLearner(build())
    running = 0.0
    for it in range(1, 301):
        running += meta.meta_step([source.task(10) for _ in range(4)])
        if it % 50 == 0:
            post = 0.0
            for s, q in val:
                learner = meta.adapt(s)
                with torch.no_grad():
                    post += F.mse_loss(learner(q[0]), q[1]).item() / len(val)
            print(f"iter {it} query loss {running / 50:.4f} validation after adaptation {post:.4f}")
            running = 0.0


if __name__ == "__main__":
    main()
