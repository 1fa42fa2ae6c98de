# fault: class-imbalance
# cause_class: imbalance, loss
# family: tabular
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(4000, 12)
score = x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * x[:, 3]
y = (score > score.quantile(0.88)).long()


def class_weights(labels):
    counts = torch.bincount(labels).float()
    return counts / counts.sum()


model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss(weight=class_weights(y[:3200]))
opt = torch.optim.Adam(model.parameters(), lr=5e-4)
for epoch in range(8):
    model.train()
    for i in torch.randperm(3200).split(64):
        loss = criterion(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        p = model(x[3200:]).argmax(1)
        print(epoch, loss.item(), "recall", (p[y[3200:] == 1] == 1).float().mean().item())
