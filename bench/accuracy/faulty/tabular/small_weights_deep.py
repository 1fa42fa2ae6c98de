# fault: init-too-small
# cause_class: initialisation
# family: tabular
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
dims = [12, 64, 64, 64, 64, 3]
layers = []
for i in range(5):
    fc = nn.Linear(dims[i], dims[i + 1])
    with torch.no_grad():
        fc.weight.copy_(0.001 * torch.randn_like(fc.weight))
        fc.bias.zero_()
    layers.append(fc)
    if i < 4:
        layers.append(nn.ReLU())
model = nn.Sequential(*layers)
mu = torch.randn(3, 12)
y = torch.randint(3, (1500,))
x = mu[y] + 0.7 * torch.randn(1500, 12)
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1500).split(50):
        loss = nn.functional.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
