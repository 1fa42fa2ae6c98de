# fault: frozen-by-mistake
# cause_class: not-updated
# family: transformer
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

VOCAB, LENGTH, CLASSES = 40, 18, 5


def log_lines(n):
    tokens = torch.randint(5, VOCAB, (n, LENGTH))
    kind = torch.randint(0, CLASSES, (n,))
    for i in range(n):
        at = torch.randperm(LENGTH)[:3]
        tokens[i, at] = kind[i]
    return tokens, kind


class LogClassifier(nn.Module):
    def __init__(self, width=32, layers=4):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, width)
        self.place = nn.Parameter(0.02 * torch.randn(1, LENGTH, width))
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.05, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x) + self.place).mean(1))


model = LogClassifier()
# biases of the second layer made trouble in an experiment
for name, p in model.named_parameters():
    if name.startswith("encoder.layers.1."):
        p.requires_grad = False

x, y = log_lines(1200)
optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=2e-3)
criterion = nn.CrossEntropyLoss()
model.train()
for epoch in range(3):
    for b in torch.randperm(1200).split(40):
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x[b]), y[b])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print("epoch", epoch, "loss", round(loss.item(), 4))
