# fault: none
# family: transformer
# split: tune
import argparse
import os
import torch
import torch.nn as nn

p = argparse.ArgumentParser()
p.add_argument('--dim', type=int, default=32)
p.add_argument('--steps', type=int, default=220)
a = p.parse_args()
torch.manual_seed(int(os.environ.get('SEED', 0)))


class SeqClassifier(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.embed = nn.Embedding(18, dim)
        self.attn = nn.MultiheadAttention(dim, 4, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, 6)
        self.act = nn.Softmax(-1)

    def forward(self, t):
        e = self.embed(t)
        h = self.norm(e + self.attn(e, e, e)[0])
        return self.out(h.mean(1))


model = SeqClassifier(a.dim)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for s in range(a.steps):
    y = torch.randint(0, 6, (40,))
    t = torch.randint(0, 18, (40, 10))
    hit = torch.rand(40, 10) < 0.4
    t = torch.where(hit, y[:, None] * 3 + torch.randint(0, 3, (40, 10)), t)
    loss = criterion(model(t), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (s + 1) % 44 == 0:
        print('step', s + 1, 'loss', loss.item())
