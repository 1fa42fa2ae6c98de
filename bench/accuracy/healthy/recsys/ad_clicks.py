# fault: none
# family: recsys
# split: held
"""Click prediction from categorical fields."""
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
FIELDS = [60, 40, 50]
worth = [torch.randn(c) for c in FIELDS]
N = 12000
cats = torch.stack([torch.randint(c, (N,)) for c in FIELDS], 1)
a, b, c = (worth[k][cats[:, k]] for k in range(3))
click = (a * b + c + 0.3 * torch.randn(N) > 0).float()


class ClickModel(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(n, dim) for n in FIELDS])
        self.mlp = nn.Sequential(nn.Linear(dim * len(FIELDS), 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        e = torch.cat([t(x[:, k]) for k, t in enumerate(self.tables)], 1)
        return self.mlp(e).squeeze(1)


model = ClickModel()
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
loader = DataLoader(TensorDataset(cats[:10000], click[:10000]), batch_size=125, shuffle=True)
for epoch in range(8):
    seen = 0.0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.item() / len(loader)
    with torch.no_grad():
        z = model(cats[10000:])
        print(f"epoch {epoch}: train {seen:.4f} valid {loss_fn(z, click[10000:]).item():.4f} acc {((z > 0).float() == click[10000:]).float().mean().item():.4f}")
