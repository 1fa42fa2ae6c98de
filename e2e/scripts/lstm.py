"""An LSTM that learns to name the most frequent symbol of a sequence."""

import torch
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(6, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Linear(32, 6)

    def forward(self, tokens):
        out, _ = self.lstm(self.embedding(tokens))
        return self.head(out.mean(1))


g = torch.Generator().manual_seed(2)
tokens = torch.randint(0, 6, (256, 9), generator=g)
labels = torch.stack([torch.bincount(t, minlength=6).argmax() for t in tokens])
model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
report = Report(model)
for step in range(STEPS):
    i = step % 4 * 64
    optimizer.zero_grad(set_to_none=False)
    loss = criterion(model(tokens[i : i + 64]), labels[i : i + 64])
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    report.step(loss.item())
report.done()
