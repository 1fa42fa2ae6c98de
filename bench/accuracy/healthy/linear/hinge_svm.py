# fault: none
# family: linear
# split: held
# multi-class linear SVM on wine; hinge reaches zero on the training set
import os
import torch
import torch.nn as nn
from sklearn.datasets import load_wine

torch.manual_seed(int(os.environ.get("SEED", "0")))
X, y = (torch.tensor(a) for a in load_wine(return_X_y=True))
p = torch.randperm(len(X))
X, y = X[p].float(), y[p]
X = (X - X[:138].mean(0)) / X[:138].std(0)
net = nn.Linear(13, 3)
crit = nn.MultiMarginLoss(margin=1.0)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(40):
    for idx in torch.randperm(138).split(23):
        loss = crit(net(X[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 4 == 0:
        with torch.no_grad():
            tr, te = crit(net(X[:138]), y[:138]).item(), crit(net(X[138:]), y[138:]).item()
            acc = (net(X[138:]).argmax(1) == y[138:]).float().mean().item()
        print(f"epoch {epoch} last batch {loss.item():.4f} train {tr:.5f} test {te:.4f} acc {acc:.3f}")
