# fault: none
# family: transformer
# split: tune
"""Fill in the symbols of a regular row that were hidden; each place sees all others."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
KINDS, LENGTH, HIDDEN = 20, 16, 0


class Filler(nn.Module):
    def __init__(self):
        super().__init__()
        self.symbols, self.places = nn.Embedding(KINDS, 32), nn.Embedding(LENGTH, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, KINDS)

    def forward(self, x):
        return self.head(self.encoder(self.symbols(x) + self.places.weight))


def rows(n):
    y = (torch.randint(0, KINDS - 1, (n, 1)) + 3 * torch.arange(LENGTH)) % (KINDS - 1) + 1
    hidden = torch.rand(n, LENGTH) < 0.3
    return y.masked_fill(hidden, HIDDEN), y.masked_fill(~hidden, -100)


model, criterion = Filler(), nn.CrossEntropyLoss(ignore_index=-100)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(300):
    x, y = rows(32)
    loss = criterion(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(f"{step + 1} loss {loss.item():.4f}")
