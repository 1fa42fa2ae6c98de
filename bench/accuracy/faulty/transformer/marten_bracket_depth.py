# fault: learning-rate-too-low
# cause_class: learning-rate
# family: transformer
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
LEN, DEPTH = 16, 5


def brackets(n):
    """Random walks of brackets; the label of each place is its depth, cut at 4."""
    tokens = torch.randint(0, 2, (n, LEN))
    depth = torch.zeros(n, LEN, dtype=torch.long)
    d = torch.zeros(n, dtype=torch.long)
    for t in range(LEN):
        d = (d + 2 * tokens[:, t] - 1).clamp(0, DEPTH - 1)
        depth[:, t] = d
    return tokens, depth


class Tagger(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok = nn.Embedding(2, d)
        self.pos = nn.Parameter(0.1 * torch.randn(LEN, d))
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, DEPTH)
        self.register_buffer("mask", torch.triu(torch.full((LEN, LEN), float("-inf")), 1))

    def forward(self, x):
        return self.out(self.enc(self.tok(x) + self.pos, mask=self.mask))


class Engine:
    def __init__(self, model, loader, valid):
        self.model, self.loader, self.valid = model, loader, valid
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=0.7)
        self.criterion = nn.CrossEntropyLoss()

    def train_batch(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x).flatten(0, 1), y.flatten())
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def validate(self):
        self.model.eval()
        with torch.no_grad():
            x, y = self.valid
            acc = (self.model(x).argmax(-1) == y).float().mean().item()
        self.model.train()
        return acc

    def fit(self, epochs):
        for e in range(epochs):
            losses = [self.train_batch(x, y) for x, y in self.loader]
            print(f"epoch {e} loss {sum(losses) / len(losses):.4f} valid acc {self.validate():.3f}")


x, y = brackets(2000)
engine = Engine(Tagger(), DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True), brackets(300))
engine.fit(8)
