# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)

# %% data
n = 1000
a = torch.rand(n) * 3.1416
side = torch.randint(0, 2, (n,))
X = torch.stack([torch.where(side == 0, a.cos(), 1 - a.cos()), torch.where(side == 0, a.sin(), 0.5 - a.sin())], 1)
X = X + 0.12 * torch.randn(n, 2)
X = (X - X.mean(0)) / X.std(0)
y = side.float()

# %% model, full-batch gradient descent with a large rate
net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.8)
loss_fn = nn.BCEWithLogitsLoss()
for it in range(700):
    opt.zero_grad()
    loss = loss_fn(net(X[:800]).squeeze(1), y[:800])
    loss.backward()
    opt.step()
    if it % 100 == 99:
        net.eval()
        with torch.no_grad():
            acc = ((net(X[800:]).squeeze(1) > 0).float() == y[800:]).float().mean()
        net.train()
        print(it + 1, f"{loss.item():.4f}", f"{acc:.3f}")
