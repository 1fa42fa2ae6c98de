# fault: inputs-not-scaled
# cause_class: data-scaling
# family: mlp
# split: tune
# twin: healthy/twins/loans_dollars.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

income = 30_000 + 90_000 * torch.rand(1600)
loan = 5_000 + 400_000 * torch.rand(1600)
years = torch.randint(1, 31, (1600,)).float()
children = torch.randint(0, 4, (1600,)).float()
risk = loan / years / income + 0.05 * children + 0.03 * torch.randn(1600)
bad = (risk > risk.median()).float().unsqueeze(1)
X = torch.stack([income, loan, years, children], dim=1)

model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(8):
    for i in torch.randperm(1600).split(40):
        loss = loss_fn(model(X[i]), bad[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
