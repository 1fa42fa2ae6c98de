# fault: none
# family: mlp
# split: tune
"""Fine-tuning with discriminative rates: the lowest layers move very slowly, the head fast."""
import copy
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
W = torch.randn(10, 20)


def data(n, shift):
    x = torch.randn(n, 20)
    h = torch.tanh(x @ W.T)
    y = (h[:, :5].sum(1) + h[:, 5] * h[:, 6] * 2 + shift * h[:, 7] > 0).long()
    return x, y


def mlp():
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))


def groups(net, top=2e-3, decay=0.1):
    layers = [m for m in net if isinstance(m, nn.Linear)]
    return [{"params": m.parameters(), "lr": top * decay ** (len(layers) - 1 - k)} for k, m in enumerate(layers)]


def fit(net, opt, x, y, xv, yv, epochs, tag):
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for e in range(epochs):
        net.train()
        s = 0
        for idx in torch.randperm(len(x)).split(40):
            opt.zero_grad()
            l = nn.functional.cross_entropy(net(x[idx]), y[idx])
            l.backward()
            opt.step()
            s += l.item() * len(idx) / len(x)
        sched.step()
        net.eval()
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean()
        if e % 3 == 2:
            print(tag, e, f"loss {s:.4f} acc {acc:.3f}")


base = mlp()
fit(base, torch.optim.Adam(base.parameters(), lr=2e-3), *data(2500, 0.0), *data(400, 0.0), 9, "pretrain")
tuned = copy.deepcopy(base)
tuned[4] = nn.Linear(64, 2)
fit(tuned, torch.optim.Adam(groups(tuned)), *data(1000, 1.0), *data(400, 1.0), 9, "finetune")
