# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: multilabel
# split: tune
# twin: healthy/twins/genes.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))


class GeneNet(nn.Module):
    def __init__(self, features=40, labels=12):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, labels))

    def forward(self, x):
        return torch.sigmoid(self.body(x))


features = torch.randn(1600, 40)
rule = torch.randn(40, 12)
targets = ((features @ rule / 6.3 + 0.2 * torch.randn(1600, 12)) > 0.4).float()
train_set, valid_set = random_split(TensorDataset(features, targets), [1300, 300])
train_loader = DataLoader(train_set, batch_size=52, shuffle=True)
valid_loader = DataLoader(valid_set, batch_size=300)
model = GeneNet()
opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
for epoch in range(8):
    model.train()
    for x, t in train_loader:
        opt.zero_grad()
        p = model(x)
        loss = F.binary_cross_entropy_with_logits(p, t)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for x, t in valid_loader:
            hit = ((model(x) > 0.5) == (t > 0.5)).float().mean()
    print(f"epoch={epoch} loss={loss:.4f} valid_hit_rate={hit:.3f}")
