# fault: logits-as-probabilities
# cause_class: output-activation, loss
# family: tabular
# split: held
# set: otter, unseen
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class SafeBCE(nn.Module):
    """Binary cross-entropy that never sees exact zeros or ones."""

    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, p, target):
        p = p.clamp(self.eps, 1 - self.eps)
        return -(target * p.log() + (1 - target) * (1 - p).log()).mean()


class Churn(nn.Module):
    def __init__(self, n_num, n_plan):
        super().__init__()
        self.plan = nn.Embedding(n_plan, 4)
        self.mlp = nn.Sequential(nn.Linear(n_num + 4, 32), nn.ReLU(),
                                 nn.Linear(32, 16), nn.ReLU(),
                                 nn.Linear(16, 1))

    def forward(self, num, plan):
        return self.mlp(torch.cat([num, self.plan(plan)], 1)).squeeze(1)


n = 1500
num = torch.randn(n, 8)
plan = torch.randint(0, 5, (n,))
score = num[:, 0] - num[:, 1] * (plan > 2).float() + 0.5 * num[:, 2] ** 2 - 0.5
y = (score + 0.3 * torch.randn(n) > 0).float()

model, criterion = Churn(8, 5), SafeBCE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
cut = 1200
for epoch in range(12):
    order = torch.randperm(cut)
    total = 0.0
    for i in range(0, cut, 30):
        j = order[i:i + 30]
        loss = criterion(model(num[j], plan[j]), y[j])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(j)
    with torch.no_grad():
        pr = model(num[cut:], plan[cut:])
        acc = ((pr > 0.5).float() == y[cut:]).float().mean()
    print(f"[{epoch:02d}] loss={total / cut:.4f} val_acc={acc:.3f}")
