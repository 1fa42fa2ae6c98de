# fault: none
# family: transformer
# split: tune
# nn.Transformer for sorting digits; label smoothing, targets shifted by one, generated masks.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

BOS, V, L, D = 10, 11, 6, 32


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.src, self.tgt = nn.Embedding(V, D), nn.Embedding(V, D)
        self.pos = nn.Embedding(L, D)
        self.core = nn.Transformer(D, 4, 1, 1, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(D, V)

    def forward(self, src, tgt):
        p = self.pos(torch.arange(L))
        mask = nn.Transformer.generate_square_subsequent_mask(L)
        return self.out(self.core(self.src(src) + p, self.tgt(tgt) + p, tgt_mask=mask))


model = Sorter()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
log = []
for step in range(200):
    src = torch.randint(0, 10, (48, L))
    goal = src.sort(1).values
    tgt_in = torch.cat([torch.full((48, 1), BOS), goal[:, :-1]], 1)
    logits = model(src, tgt_in)
    loss = criterion(logits.transpose(1, 2), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
