# fault: inputs-not-scaled
# cause_class: data-scaling
# family: mlp
# split: tune
# needs: numpy
import os
import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", "0"))
np.random.seed(SEED)
torch.manual_seed(SEED)

# applicants: yearly income, open balance, age, number of cards
N = 1500
income = np.random.lognormal(10.7, 0.5, N)
balance = np.random.lognormal(8.0, 1.0, N)
age = np.random.randint(20, 70, N)
cards = np.random.poisson(2, N)
z = (np.log(income) - 10.7) / 0.5 - 0.8 * (np.log(balance) - 8) + 0.5 * (age - 45) / 14 - 0.6 * (cards - 2) / 1.4
approved = (z + 0.3 * np.random.randn(N) > 0).astype(int)

X = torch.tensor(np.stack([income, balance, age, cards], 1), dtype=torch.float32)
y = torch.tensor(approved)
X_train, X_test, y_train, y_test = X[:1200], X[1200:], y[:1200], y[1200:]

class Approver(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 32)
        self.l2 = nn.Linear(32, 32)
        self.l3 = nn.Linear(32, 2)
    def forward(self, x):
        x = torch.relu(self.l1(x))
        x = torch.relu(self.l2(x))
        return self.l3(x)

model = Approver()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
history = []
for epoch in range(15):
    model.train()
    for idx in torch.randperm(len(X_train)).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    model.eval()
    with torch.no_grad():
        acc = (model(X_test).argmax(1) == y_test).float().mean().item()
    if epoch % 2 == 0:
        print(epoch, "loss %.3f" % np.mean(history[-38:]), "test acc %.3f" % acc)
