"""A transformer encoder of two layers that returns its outputs in a dictionary."""

import torch
import torch.nn.functional as F
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(16, 32)
        self.position = nn.Parameter(torch.randn(1, 12, 32) * 0.02)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, 16)

    def forward(self, tokens, labels=None):
        logits = self.head(self.layers(self.embedding(tokens) + self.position))
        out = {"logits": logits}
        if labels is not None:
            out["loss"] = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return out


g = torch.Generator().manual_seed(3)
tokens = torch.randint(0, 16, (128, 12), generator=g)
labels = (tokens + 3) % 16
model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
report = Report(model)
for step in range(STEPS):
    i = step % 4 * 32
    optimizer.zero_grad()
    loss = model(tokens=tokens[i : i + 32], labels=labels[i : i + 32])["loss"]
    loss.backward()
    optimizer.step()
    report.step(loss.item())
model.eval()
with torch.no_grad():
    print("validation %.4f" % model(tokens=tokens[:32], labels=labels[:32])["loss"].item())
report.done()
