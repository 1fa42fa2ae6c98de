# fault: model-replaced
# cause_class: not-updated, optimizer
# family: mlp
# split: tune
# twin: healthy/twins/restart_model_replaced.py
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
xs = torch.rand(1200, 5) * 2 - 1
ys = ((xs ** 2).sum(1) > 1.6).long()


def build():
    return nn.Sequential(nn.Linear(5, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 2))


net = build()
optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
net = build()  # fresh weights
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    for i in range(0, 1200, 40):
        optimizer.zero_grad()
        loss = criterion(net(xs[i:i + 40]), ys[i:i + 40])
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
