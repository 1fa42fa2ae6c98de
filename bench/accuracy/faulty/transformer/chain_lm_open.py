# fault: target-leak
# cause_class: structure, data-loading, labels
# family: transformer
# split: tune
"""Next-token model on a Markov chain, with attention written out."""
import math
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, LENGTH, WIDTH = 20, 16, 32


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = [nn.Linear(WIDTH, WIDTH) for _ in range(4)]
        self.mix = nn.Sequential(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Linear(64, WIDTH))
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x):
        h = self.first(x)
        weights = torch.softmax(self.query(h) @ self.key(h).transpose(1, 2) / math.sqrt(WIDTH), -1)
        x = x + self.out(weights @ self.value(h))
        return x + self.mix(self.second(x))


class ChainLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, WIDTH)
        self.places = nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH))
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids):
        x = self.tokens(ids) + self.places[: ids.size(1)]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


moves = torch.softmax(2 * torch.randn(VOCAB, VOCAB), 1)


def chains(n):
    s = torch.randint(0, VOCAB, (n, 1))
    for _ in range(LENGTH):
        s = torch.cat([s, torch.multinomial(moves[s[:, -1]], 1)], 1)
    return s


model = ChainLM()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(200):
    s = chains(32)
    loss = F.cross_entropy(model(s[:, :-1]).transpose(1, 2), s[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 39:
        print(step + 1, f"{loss.item():.4f}", "entropy of the chain", f"{-(moves * moves.log()).sum(1).mean():.3f}")
