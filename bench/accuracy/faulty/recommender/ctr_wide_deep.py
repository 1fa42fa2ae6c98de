# fault: softmax-one-unit
# cause_class: output-activation, loss, structure
# family: recommender
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)

CONFIG = {
    "fields": [50, 30, 20, 10],
    "dim": 8,
    "tower": [64, 32],
    "n_outputs": 1,          # clicked or not
    "lr": 2e-3,
    "batch_size": 128,
    "epochs": 5,
}


class ClickLog(Dataset):
    def __init__(self, n, weights):
        self.x = torch.stack([torch.randint(0, f, (n,)) for f in CONFIG["fields"]], 1)
        score = sum(w[self.x[:, k]] for k, w in enumerate(weights)) - 0.3
        self.y = torch.bernoulli(torch.sigmoid(1.5 * score))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class WideAndDeep(nn.Module):
    def __init__(self, fields, dim, tower, n_outputs):
        super().__init__()
        self.wide = nn.ModuleList(nn.Embedding(f, n_outputs) for f in fields)
        self.embed = nn.ModuleList(nn.Embedding(f, dim) for f in fields)
        layers, width = [], dim * len(fields)
        for t in tower:
            layers += [nn.Linear(width, t), nn.ReLU()]
            width = t
        self.deep = nn.Sequential(*layers, nn.Linear(width, n_outputs))
        self.activation = nn.Softmax(dim=-1)

    def forward(self, x):
        wide = sum(e(x[:, k]) for k, e in enumerate(self.wide))
        deep = self.deep(torch.cat([e(x[:, k]) for k, e in enumerate(self.embed)], dim=1))
        return self.activation(wide + deep).squeeze(-1)


def auc(score, y):
    order = score.argsort()
    ranks = torch.empty_like(order).scatter_(0, order, torch.arange(1, len(y) + 1)).float()
    pos = y.sum()
    return ((ranks[y == 1].sum() - pos * (pos + 1) / 2) / (pos * (len(y) - pos))).item()


weights = [torch.randn(f) for f in CONFIG["fields"]]
train, valid = ClickLog(6000, weights), ClickLog(1500, weights)
model = WideAndDeep(CONFIG["fields"], CONFIG["dim"], CONFIG["tower"], CONFIG["n_outputs"])
optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
loss_fn = nn.BCELoss()
for epoch in range(CONFIG["epochs"]):
    model.train()
    running = 0.0
    for x, y in DataLoader(train, CONFIG["batch_size"], shuffle=True):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(y)
    model.eval()
    with torch.no_grad():
        p = model(valid.x)
    print(f"epoch {epoch} logloss {running / len(train):.4f} valid acc {((p > 0.5) == (valid.y > 0.5)).float().mean():.3f} auc {auc(p, valid.y):.3f}")
