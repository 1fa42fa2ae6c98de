# fault: none
# family: seqtoseq
# split: tune
"""Turn rows of digits around: the encoder sees all of a row, the decoder what it has written."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
KINDS, LENGTH = 12, 9


class Turner(nn.Module):
    def __init__(self):
        super().__init__()
        self.digits, self.places = nn.Embedding(KINDS, 32), nn.Embedding(LENGTH + 1, 32)
        self.body = nn.Transformer(32, 4, 1, 1, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, KINDS)

    def embed(self, x):
        return self.digits(x) + self.places(torch.arange(x.size(1)))

    def forward(self, row, written):
        mask = nn.Transformer.generate_square_subsequent_mask(written.size(1))
        return self.head(self.body(self.embed(row), self.embed(written), tgt_mask=mask))


model, criterion = Turner(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(300):
    row = torch.randint(1, KINDS, (32, LENGTH))
    answer = torch.cat([torch.zeros(32, 1, dtype=torch.long), row.flip(1)], 1)
    loss = criterion(model(row, answer[:, :-1]).reshape(-1, KINDS), answer[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(f"{step + 1} loss {loss.item():.4f}")
