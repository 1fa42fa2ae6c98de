# fault: output-range
# cause_class: output-activation, data-scaling, labels
# family: recommenders
# split: held
import os
import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader, random_split

torch.manual_seed(int(os.environ.get("SEED", "0")))

CONFIG = {
    "n_users": 300,
    "n_books": 200,
    "n_ratings": 9000,
    "factors": 16,
    "hidden": [64, 32],
    "lr": 3e-3,
    "epochs": 8,
    "batch_size": 256,
    "patience": 3,
}


def fake_goodreads(cfg):
    u_lat = torch.randn(cfg["n_users"], 4)
    b_lat = torch.randn(cfg["n_books"], 4)
    u_bias = 0.5 * torch.randn(cfg["n_users"])
    b_bias = 0.6 * torch.randn(cfg["n_books"])
    u = torch.randint(cfg["n_users"], (cfg["n_ratings"],))
    b = torch.randint(cfg["n_books"], (cfg["n_ratings"],))
    score = 3.4 + 0.5 * (u_lat[u] * b_lat[b]).sum(1) + u_bias[u] + b_bias[b] + 0.2 * torch.randn(len(u))
    stars = score.round().clamp(1, 5)
    return TensorDataset(u, b, stars)


class NeuMF(nn.Module):
    """GMF + MLP branches, fused at the end (He et al. 2017)"""

    def __init__(self, cfg):
        super().__init__()
        f = cfg["factors"]
        self.u_gmf, self.b_gmf = nn.Embedding(cfg["n_users"], f), nn.Embedding(cfg["n_books"], f)
        self.u_mlp, self.b_mlp = nn.Embedding(cfg["n_users"], f), nn.Embedding(cfg["n_books"], f)
        layers, width = [], 2 * f
        for h in cfg["hidden"]:
            layers += [nn.Linear(width, h), nn.ReLU()]
            width = h
        self.mlp = nn.Sequential(*layers)
        self.out = nn.Linear(width + f, 1)
        for e in (self.u_gmf, self.b_gmf, self.u_mlp, self.b_mlp):
            nn.init.normal_(e.weight, std=0.1)

    def forward(self, u, b):
        g = self.u_gmf(u) * self.b_gmf(b)
        m = self.mlp(torch.cat([self.u_mlp(u), self.b_mlp(b)], 1))
        z = self.out(torch.cat([g, m], 1)).squeeze(1)
        return torch.sigmoid(z)


ds = fake_goodreads(CONFIG)
n_val = 1500
tr, va = random_split(ds, [len(ds) - n_val, n_val])
tr_loader = DataLoader(tr, batch_size=CONFIG["batch_size"], shuffle=True)
va_loader = DataLoader(va, batch_size=1500)

model = NeuMF(CONFIG)
optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"], weight_decay=1e-5)
mse = nn.MSELoss()
best, bad = float("inf"), 0
for epoch in range(CONFIG["epochs"]):
    model.train()
    tot = 0.
    for u, b, r in tr_loader:
        optimizer.zero_grad()
        loss = mse(model(u, b), r)
        loss.backward()
        optimizer.step()
        tot += loss.item() * len(r)
    model.eval()
    with torch.no_grad():
        rmse = torch.cat([(model(u, b) - r) ** 2 for u, b, r in va_loader]).mean().sqrt().item()
    print(f"[{epoch}] train rmse {(tot / len(tr)) ** .5:.3f}   val rmse {rmse:.3f}")
    if rmse < best - 1e-4:
        best, bad = rmse, 0
    else:
        bad += 1
        if bad >= CONFIG["patience"]:
            print("early stop")
            break
print("best val rmse", round(best, 4))
