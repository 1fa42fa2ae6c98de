# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: regression
# split: tune
# needs: numpy
import os
import numpy as np
import torch

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

# %% data: eight sensors measure a quantity, mildly correlated
n, d = 2048, 8
base = rng.normal(size=(n, 1))
X = 0.7 * base + 0.7 * rng.normal(size=(n, d))
X = (X - X.mean(0)) / X.std(0)
w = rng.normal(size=d) * 0.5
Y = np.tanh(X @ w) + 0.1 * rng.normal(size=n)
Y = (Y - Y.mean()) / Y.std()
X, Y = torch.tensor(X, dtype=torch.float32), torch.tensor(Y, dtype=torch.float32)[:, None]

# %% model
net = torch.nn.Sequential(torch.nn.Linear(d, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
criterion = torch.nn.MSELoss(reduction="sum")

# %% training
BATCH = 256
history = []
for epoch in range(40):
    order = torch.randperm(n)
    for i in range(0, n, BATCH):
        rows = order[i:i + BATCH]
        opt.zero_grad()
        loss = criterion(net(X[rows]), Y[rows])
        loss.backward()
        opt.step()
        history.append(loss.item() / len(rows))
    if epoch % 4 == 0:
        print(epoch, "mse", sum(history[-8:]) / 8)
print("variance of the target", Y.var().item(), "final", history[-1])
