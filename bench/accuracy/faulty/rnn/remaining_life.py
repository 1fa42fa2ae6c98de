# fault: regression-targets-into-classification-loss
# cause_class: loss, labels
# family: rnn
# split: tune
"""Remaining useful life of a bearing (as a fraction) from its vibration features."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def bearings(n, steps=20, channels=4):
    life = torch.rand(n)
    wear = (1 - life)[:, None] * torch.linspace(0.5, 1.0, steps)
    mix = torch.tensor([1.0, -0.7, 0.5, 0.2])
    x = wear[..., None] * mix + 0.15 * torch.randn(n, steps, channels)
    return (x - 0.2) / 0.4, life


class LifeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, x):
        _, (h, _) = self.rnn(x)
        return self.fc(h[-1]).squeeze()


LOSSES = {"ce": nn.CrossEntropyLoss(), "l1": nn.L1Loss(), "huber": nn.SmoothL1Loss()}
HP = dict(loss="ce", lr=1e-3, epochs=8, batch=40)

x, y = bearings(1000)
xv, yv = bearings(200)
net = LifeNet()
optim = torch.optim.Adam(net.parameters(), lr=HP["lr"])
criterion = LOSSES[HP["loss"]]
for epoch in range(HP["epochs"]):
    net.train()
    acc = 0
    for idx in torch.randperm(1000).split(HP["batch"]):
        optim.zero_grad()
        out = net(x[idx])
        loss = criterion(out, y[idx])
        loss.backward()
        optim.step()
        acc += loss.item()
    net.eval()
    with torch.no_grad():
        err = (net(xv) - yv).abs().mean()
    print("epoch %d loss %.3f  mean absolute error %.3f" % (epoch, acc / 25, err))
