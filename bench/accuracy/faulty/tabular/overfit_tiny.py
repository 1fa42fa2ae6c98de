# fault: overfit
# cause_class: overfit
# family: tabular
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.randn(340, 40)
y = (X[:, :3].sum(1) + 0.8 * torch.randn(340) > 0).long()
ntrain = 40
Xtr, ytr, Xva, yva = X[:ntrain], y[:ntrain], X[ntrain:], y[ntrain:]
net = nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
epochs, bs = 60, 10
for epoch in range(epochs):
    net.train()
    for b in torch.randperm(ntrain).split(bs):
        opt.zero_grad()
        loss = loss_fn(net(Xtr[b]), ytr[b])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        val = loss_fn(net(Xva), yva)
    print(f"epoch {epoch}: train {loss.item():.4f} val {val.item():.4f}")
