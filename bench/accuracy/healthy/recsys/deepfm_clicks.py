# fault: none
# family: recsys
# split: tune
# Click prediction with 4 % positives: the loss moves between 0.2 and 0.12 only; the first guess is set by the bias.
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

FIELDS = [50, 30, 20, 8]
offsets = torch.tensor([0, *torch.tensor(FIELDS).cumsum(0)[:-1].tolist()])


class DeepFM(nn.Module):
    def __init__(self, total, k=8, prior=0.04):
        super().__init__()
        self.first = nn.Embedding(total, 1)
        self.second = nn.Embedding(total, k)
        self.deep = nn.Sequential(nn.Linear(k * len(FIELDS), 32), nn.ReLU(), nn.Linear(32, 1))
        self.bias = nn.Parameter(torch.tensor(math.log(prior / (1 - prior))))
        nn.init.zeros_(self.first.weight)
        nn.init.normal_(self.second.weight, std=0.05)

    def forward(self, x):
        x = x + offsets
        e = self.second(x)
        fm = 0.5 * (e.sum(1) ** 2 - (e**2).sum(1)).sum(1)
        return self.bias + self.first(x).sum((1, 2)) + fm + self.deep(e.flatten(1)).squeeze(1)


n = 16000
x = torch.stack([torch.randint(0, f, (n,)) for f in FIELDS], 1)
w = 2.0 * torch.randn(sum(FIELDS))
logit = w[x + offsets].sum(1)
y = torch.bernoulli(torch.sigmoid(logit - logit.quantile(0.97)))
print("click rate", y.mean().item())
model = DeepFM(sum(FIELDS))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
log = []
for epoch in range(3):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=128, shuffle=True):
        loss = F.binary_cross_entropy_with_logits(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
print(f"loss first {sum(log[:10]) / 10:.4f} last {sum(log[-30:]) / 30:.4f}")
