# fault: softmax-one-unit
# cause_class: output-activation, structure, activation, not-updated
# family: tabular
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))

n = 1500
age = torch.randn(n)
spend = torch.randn(n)
months = torch.rand(n) * 2 - 1
calls = torch.randn(n)
z = 1.3 * spend - 1.1 * months * calls + 0.5 * age.abs() - 0.4
churn = (z + 0.4 * torch.randn(n) > 0).float()
data = TensorDataset(torch.stack([age, spend, months, calls], 1), churn)
train, test = random_split(data, [1200, 300])


class ChurnModel(nn.Module):
    def __init__(self, n_in, n_out=1):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, 32), nn.LayerNorm(32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU())
        self.head = nn.Linear(32, n_out)

    def forward(self, x):
        return self.head(self.trunk(x))

    def predict_proba(self, x):
        return self(x).softmax(dim=-1)


def epoch(model, loader, opt=None):
    model.train(opt is not None)
    tot = hit = cnt = 0
    for x, y in loader:
        with torch.set_grad_enabled(opt is not None):
            p = model.predict_proba(x).squeeze(-1).clamp(1e-4, 1 - 1e-4)
            loss = nn.functional.binary_cross_entropy(p, y)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
        tot += loss.item() * len(y)
        hit += ((p > 0.5) == (y > 0.5)).sum().item()
        cnt += len(y)
    return tot / cnt, hit / cnt


model = ChurnModel(4)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
tl, vl = DataLoader(train, 32, shuffle=True), DataLoader(test, 100)
for e in range(6):
    print(e, "train %.4f %.3f" % epoch(model, tl, opt), "test %.4f %.3f" % epoch(model, vl))
