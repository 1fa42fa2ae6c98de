# fault: none
# family: mlp
# split: held
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
n = 6000
fraud = (torch.rand(n) < 0.06).long()
x = torch.randn(n, 12)
x[:, :4] += 1.3 * fraud[:, None]
x[:, 4] *= 1 + 0.8 * fraud
loader = DataLoader(TensorDataset(x[:5000], fraud[:5000]), batch_size=64, shuffle=True)
weight = torch.tensor([1.0, 8.0])
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=5e-4, weight_decay=1e-4)
crit = nn.CrossEntropyLoss(weight=weight)
for epoch in range(8):
    run = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()
        opt.step()
        run += loss.item() / len(loader)
    with torch.no_grad():
        o = model(x[5000:])
        p, t = o.argmax(1), fraud[5000:]
        recall = (p[t == 1] == 1).float().mean().item()
        false = (p[t == 0] == 1).float().mean().item()
    print(f"epoch {epoch} train {run:.4f} val {crit(o, t).item():.4f} recall {recall:.3f} false alarms {false:.3f}")
