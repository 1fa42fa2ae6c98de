# fault: weight-decay-too-strong
# cause_class: regularisation, loss
# family: regression
# split: tune
import os
import torch
from torch import nn
from sklearn.datasets import load_diabetes

torch.manual_seed(int(os.environ.get("SEED", "0")))


class RegularisedLoss(nn.Module):
    """Mean squared error plus lambda * ||w||^2"""

    def __init__(self, model, lam):
        super().__init__()
        self.model, self.lam = [model], lam
        self.mse = nn.MSELoss()

    def forward(self, pred, target):
        l2 = sum(p.pow(2).sum() for p in self.model[0].parameters())
        return self.mse(pred, target) + self.lam * l2


data = load_diabetes()
X = torch.tensor(data.data, dtype=torch.float32)
y = torch.tensor(data.target, dtype=torch.float32).unsqueeze(1)
perm = torch.randperm(len(X))
X, y = X[perm], y[perm]
n = 350
X = (X - X[:n].mean(0)) / X[:n].std(0)
y = (y - y[:n].mean()) / y[:n].std()
Xt, yt, Xv, yv = X[:n], y[:n], X[n:], y[n:]

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = RegularisedLoss(model, lam=0.5)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(60):
    model.train()
    for i in range(0, n, 25):
        optimizer.zero_grad()
        loss = criterion(model(Xt[i:i + 25]), yt[i:i + 25])
        loss.backward()
        optimizer.step()
    order = torch.randperm(n)
    Xt, yt = Xt[order], yt[order]
    if epoch % 10 == 9:
        model.eval()
        with torch.no_grad():
            mse = nn.functional.mse_loss(model(Xv), yv).item()
        print(f"epoch {epoch + 1} loss {loss.item():.4f} validation R2 {1 - mse / yv.var().item():.3f}")
