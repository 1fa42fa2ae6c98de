# fault: dropout-on-output
# cause_class: regularisation, structure
# family: regression
# split: tune
# twin: healthy/twins/dropout_last.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.randn(1500, 7)
Y = (torch.sin(2 * X[:, :1]) + X[:, 1:2] * 0.7 - 0.4 * X[:, 2:3] ** 2 + 0.05 * torch.randn(1500, 1))


def mlp(sizes, p):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers += [nn.Linear(a, b)]
        if i < len(sizes) - 2:
            layers += [nn.ReLU()]
        layers += [nn.Dropout(p)]
    return nn.Sequential(*layers)


model = mlp([7, 64, 64, 1], 0.3)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.MSELoss()
for epoch in range(10):
    model.train()
    for b in torch.randperm(1200).split(48):
        optimizer.zero_grad()
        loss = criterion(model(X[b]), Y[b])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print("epoch", epoch, "train", loss.item(), "val", criterion(model(X[1200:]), Y[1200:]).item())
