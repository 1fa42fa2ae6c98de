# fault: none
# family: rnn
# split: tune
# Tagging with a bidirectional GRU: 60 % of the targets are -100 (padding) and ignored by the loss.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

V, T, TAGS, IGNORE = 20, 20, 4, -100


def sample_batch(n):
    lengths = torch.randint(3, 14, (n,))
    x = torch.randint(1, V, (n, T))
    prev = torch.cat([torch.zeros(n, 1, dtype=torch.long), x[:, :-1]], 1)
    tags = (x + prev) % TAGS
    mask = torch.arange(T)[None] < lengths[:, None]
    return x * mask, tags.masked_fill(~mask, IGNORE)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, 24, padding_idx=0)
        self.gru = nn.GRU(24, 24, batch_first=True, bidirectional=True)
        self.head = nn.Linear(48, TAGS)

    def forward(self, x):
        h, _ = self.gru(self.embed(x))
        return self.head(h)


model = Tagger()
loss_fn = nn.CrossEntropyLoss(ignore_index=IGNORE)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=180)
log = []
for step in range(180):
    x, tags = sample_batch(32)
    logits = model(x)
    loss = loss_fn(logits.reshape(-1, TAGS), tags.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
