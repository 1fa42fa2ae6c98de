# fault: layers-not-registered
# cause_class: not-updated, structure, optimizer
# family: tabular
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
SIZES = [40, 7, 31, 12]
n = 6000
cats = torch.stack([torch.randint(0, s, (n,)) for s in SIZES], 1)
effect = [torch.randn(s) for s in SIZES]
num = torch.randn(n, 3)
target = (sum(e[cats[:, i]] for i, e in enumerate(effect)) + num @ torch.tensor([0.5, -1.0, 0.2]) > 0).float()


class Tabular(nn.Module):
    def __init__(self, sizes, dim=6):
        super().__init__()
        self.embeddings = [nn.Embedding(s, dim) for s in sizes]
        self.bn = nn.BatchNorm1d(3)
        self.body = nn.Sequential(nn.Linear(dim * len(sizes) + 3, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, c, x):
        e = [table(c[:, i]) for i, table in enumerate(self.embeddings)]
        return self.body(torch.cat(e + [self.bn(x)], 1))


model = Tabular(SIZES)
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(5):
    model.train()
    for b in torch.randperm(5000).split(100):
        loss = loss_fn(model(cats[b], num[b])[:, 0], target[b])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.eval()
    with torch.no_grad():
        right = ((model(cats[5000:], num[5000:])[:, 0] > 0).float() == target[5000:]).float().mean()
    print(epoch, f"{loss.item():.4f} {right:.3f}")
