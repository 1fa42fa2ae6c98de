# fault: layers-not-registered
# cause_class: not-updated, structure, optimizer
# family: recommender
# split: tune
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


class FeatureEncoder(nn.Module):
    """one embedding table per categorical feature of the schema"""

    def __init__(self, schema, dim):
        super().__init__()
        self.schema = schema
        self.tables = {name: nn.Embedding(size, dim) for name, size in schema.items()}

    def forward(self, batch):
        return torch.cat([self.tables[name](batch[name]) for name in self.schema], dim=-1)


class Ranker(nn.Module):
    def __init__(self, schema, dim=8, hidden=64):
        super().__init__()
        self.encoder = FeatureEncoder(schema, dim)
        self.mlp = nn.Sequential(nn.Linear(dim * len(schema), hidden), nn.ReLU(),
                                 nn.Linear(hidden, hidden // 2), nn.ReLU(), nn.Linear(hidden // 2, 1))

    def forward(self, batch):
        return self.mlp(self.encoder(batch)).squeeze(-1)


class RankerTrainer:
    def __init__(self, model, lr=2e-3, weight_decay=1e-5):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=weight_decay)
        self.loss = nn.MSELoss()

    def epoch(self, loader):
        self.model.train()
        total = 0
        for batch, rating in loader:
            self.optimizer.zero_grad()
            loss = self.loss(self.model(batch), rating)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def rmse(self, loader):
        self.model.eval()
        se = sum(((self.model(b) - r) ** 2).sum().item() for b, r in loader)
        return (se / len(loader.dataset)) ** 0.5


truth = {"user": 0.7 * torch.randn(120, 3), "item": 0.7 * torch.randn(200, 3), "hour": 0.5 * torch.randn(24),
         "device": 0.5 * torch.randn(5)}
train = DataLoader(Impressions(9000, truth), batch_size=128, shuffle=True)
valid_set = Impressions(1500, truth)
valid = DataLoader(valid_set, batch_size=500)
print("std of ratings", round(valid_set.rating.std().item(), 3))
trainer = RankerTrainer(Ranker(SCHEMA))
for e in range(6):
    print(f"epoch {e} mse {trainer.epoch(train):.4f} valid rmse {trainer.rmse(valid):.4f}")
