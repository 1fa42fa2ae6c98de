# fault: not-finite
# cause_class: non-finite, loss
# family: attention
# split: held
"""Readmission risk from the billing codes of a patient's earlier visits, with attention pooling."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
CODES, PAD = 80, 0


def patient():
    n = int(torch.poisson(torch.tensor(7.0)))
    codes = torch.randint(1, CODES, (n,))
    risk = -0.8 + 1.6 * (codes < 10).sum() - 0.9 * ((codes > 70).sum())
    return codes, torch.bernoulli(torch.sigmoid(2 * risk))


def collate(rows):
    codes, y = zip(*rows)
    return pad_sequence(codes, batch_first=True, padding_value=PAD), torch.stack(y)


class AttentionPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.key = nn.Linear(d, d)
        self.query = nn.Parameter(torch.randn(d) / d ** 0.5)

    def forward(self, h, mask):
        score = torch.tanh(self.key(h)) @ self.query
        score = score.masked_fill(~mask, float("-inf"))
        return (score.softmax(1).unsqueeze(-1) * h).sum(1)


class RiskModel(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.embed = nn.Embedding(CODES, d, padding_idx=PAD)
        self.pool = AttentionPool(d)
        self.out = nn.Sequential(nn.Linear(d + 1, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, codes):
        mask = codes != PAD
        pooled = self.pool(self.embed(codes), mask)
        count = mask.sum(1, keepdim=True).float() / 10
        return self.out(torch.cat([pooled, count], 1)).squeeze(1)


cohort = [patient() for _ in range(6000)]
test = [p for p in (patient() for _ in range(800)) if len(p[0]) > 0]
loader = DataLoader(cohort, batch_size=32, shuffle=True, collate_fn=collate)
model = RiskModel()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
step = 0
for epoch in range(3):
    for codes, y in loader:
        loss = F.binary_cross_entropy_with_logits(model(codes), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        if step % 40 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    model.eval()
    codes, y = collate(test)
    with torch.no_grad():
        print(f"epoch {epoch} accuracy {((model(codes) > 0).float() == y).float().mean().item():.3f}")
    model.train()
