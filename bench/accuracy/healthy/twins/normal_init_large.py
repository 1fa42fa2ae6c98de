# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


def make_net(sizes):
    mods = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        lin = nn.Linear(a, b)
        nn.init.normal_(lin.weight, 0, (2.0 / a) ** 0.5)
        mods += [lin, nn.ReLU()]
    return nn.Sequential(*mods[:-1])


X = torch.randn(1600, 30)
y = (X[:, :10].sum(1) > 0).long() + 2 * (X[:, 10:20].sum(1) > 0).long()
net = make_net([30, 128, 128, 128, 4])
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(8):
    for b in torch.randperm(1600).split(50):
        opt.zero_grad()
        loss = loss_fn(net(X[b]), y[b])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
