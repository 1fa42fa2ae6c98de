# fault: learning-rate-too-high
# cause_class: learning-rate
# family: cnn
# split: held
import argparse, os
import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int, default=32)
p.add_argument("--base-lr", type=float, default=0.05)
p.add_argument("--momentum", type=float, default=0.9)
p.add_argument("--epochs", type=int, default=4)
args = p.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", 0)))


def make(n):
    """bars: horizontal, vertical, diagonal"""
    x = 0.5 * torch.randn(n, 1, 12, 12)
    y = torch.randint(0, 3, (n,))
    for i in range(n):
        k = int(torch.randint(2, 10, (1,)))
        if y[i] == 0:
            x[i, 0, k] += 1.5
        elif y[i] == 1:
            x[i, 0, :, k] += 1.5
        else:
            x[i, 0] += 1.5 * torch.eye(12)
    return x, y


x, y = make(1280)
vx, vy = make(256)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(144, 3))

# linear scaling rule
lr = args.base_lr * args.batch_size
opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=args.momentum, nesterov=True)
crit = nn.CrossEntropyLoss()
for epoch in range(args.epochs):
    net.train()
    run = 0.
    for idx in torch.randperm(len(x)).split(args.batch_size):
        loss = crit(net(x[idx]), y[idx])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        run += loss.item() * len(idx)
    net.eval()
    with torch.no_grad():
        acc = (net(vx).argmax(1) == vy).float().mean()
    print(f"epoch {epoch}: train loss {run / len(x):.4f} val acc {acc:.3f}")
