# fault: none
# family: multilabel
# split: held
"""Genres of films from keyword counts."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
GENRES, WORDS = 6, 60
weights = torch.softmax(1.8 * torch.randn(GENRES, WORDS), 1)
has = (torch.rand(2200, GENRES) < 0.35).float()
mix = (has + 0.02) @ weights
mix = mix / mix.sum(1, keepdim=True)
words = torch.zeros(2200, WORDS).scatter_add_(1, torch.multinomial(mix, 40, replacement=True), torch.ones(2200, 40))
X = words.sqrt() - 0.5

net = nn.Sequential(nn.Linear(WORDS, 48), nn.ReLU(), nn.Linear(48, GENRES))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-3)
for epoch in range(8):
    for b in torch.randperm(1800).split(36):
        loss = F.binary_cross_entropy_with_logits(net(X[b]), has[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        z = net(X[1800:])
        p, t = z > 0, has[1800:] > 0.5
        f1 = 2 * (p & t).sum() / (p.sum() + t.sum())
        print(f"epoch {epoch} train {loss.item():.4f} val {F.binary_cross_entropy_with_logits(z, has[1800:]).item():.4f} f1 {f1.item():.3f}")
