# fault: none
# family: recommender
# split: held
"""Embedding tables with sparse gradients under SparseAdam, the dense part under AdamW."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
SCHEMA = {"user": 120, "item": 200, "hour": 24, "device": 5}


class Impressions(Dataset):
    def __init__(self, n, truth):
        self.cols = {k: torch.randint(0, size, (n,)) for k, size in SCHEMA.items()}
        u, v = truth["user"][self.cols["user"]], truth["item"][self.cols["item"]]
        score = (u * v).sum(1) + truth["hour"][self.cols["hour"]] + truth["device"][self.cols["device"]]
        self.rating = score + 0.3 * torch.randn(n)

    def __len__(self):
        return len(self.rating)

    def __getitem__(self, i):
        return {k: v[i] for k, v in self.cols.items()}, self.rating[i]


class Ranker(nn.Module):
    def __init__(self, schema, dim=8, hidden=64):
        super().__init__()
        self.tables = nn.ModuleDict({k: nn.Embedding(n, dim, sparse=True) for k, n in schema.items()})
        for t in self.tables.values():
            nn.init.normal_(t.weight, std=0.3)
        self.mlp = nn.Sequential(nn.Linear(dim * (len(schema) + 1), hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, batch):
        e = {k: t(batch[k]) for k, t in self.tables.items()}
        return self.mlp(torch.cat([*e.values(), e["user"] * e["item"]], dim=-1)).squeeze(-1)


class RankerTrainer:
    def __init__(self, model):
        self.model, self.loss = model, nn.MSELoss()
        self.optimizers = [torch.optim.SparseAdam(list(model.tables.parameters()), lr=1e-2),
                           torch.optim.AdamW(model.mlp.parameters(), lr=2e-3)]

    def epoch(self, loader):
        self.model.train()
        total = 0
        for batch, rating in loader:
            for o in self.optimizers:
                o.zero_grad()
            loss = self.loss(self.model(batch), rating)
            loss.backward()
            for o in self.optimizers:
                o.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def rmse(self, loader):
        self.model.eval()
        se = sum(((self.model(b) - r) ** 2).sum().item() for b, r in loader)
        return (se / len(loader.dataset)) ** 0.5


truth = {"user": 0.7 * torch.randn(120, 3), "item": 0.7 * torch.randn(200, 3), "hour": 0.5 * torch.randn(24),
         "device": 0.5 * torch.randn(5)}
train = DataLoader(Impressions(14000, truth), batch_size=128, shuffle=True)
valid = DataLoader(Impressions(1500, truth), batch_size=500)
trainer = RankerTrainer(Ranker(SCHEMA))
for e in range(5):
    print(f"epoch {e} mse {trainer.epoch(train):.4f} valid rmse {trainer.rmse(valid):.4f}")
