# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: transformer
# split: tune
# set: quokka, unseen
import os
from dataclasses import dataclass
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


@dataclass
class Config:
    vocab: int = 60
    length: int = 16
    dim: int = 32
    heads: int = 4
    layers: int = 2
    max_lr: float = 0.1
    weight_decay: float = 5e-4
    epochs: int = 6
    batch: int = 64


cfg = Config()


class Reviews(torch.utils.data.Dataset):
    """Positive words are 1..20, negative words 21..40, the rest is filler."""

    def __init__(self, n, cfg):
        self.x = torch.randint(1, cfg.vocab, (n, cfg.length))
        pos = (self.x <= 20).sum(1)
        neg = ((self.x > 20) & (self.x <= 40)).sum(1)
        keep = pos != neg
        self.x, self.y = self.x[keep], (pos > neg)[keep].long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Classifier(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.randn(1, cfg.length, cfg.dim) * 0.02)
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 64, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, cfg.layers)
        self.out = nn.Linear(cfg.dim, 2)

    def forward(self, x):
        return self.out(self.enc(self.tok(x) + self.pos).mean(1))


train_set, test_set = Reviews(2500, cfg), Reviews(500, cfg)
train_dl = torch.utils.data.DataLoader(train_set, cfg.batch, shuffle=True)
model = Classifier(cfg)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.max_lr / 25, weight_decay=cfg.weight_decay)
sched = torch.optim.lr_scheduler.OneCycleLR(optimizer, cfg.max_lr, epochs=cfg.epochs, steps_per_epoch=len(train_dl))
lossf = nn.CrossEntropyLoss()

for epoch in range(cfg.epochs):
    model.train()
    run = 0.0
    for x, y in train_dl:
        optimizer.zero_grad()
        loss = lossf(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        sched.step()
        run += loss.item()
    model.eval()
    with torch.no_grad():
        acc = (model(test_set.x).argmax(1) == test_set.y).float().mean()
    print(f"epoch {epoch}: loss {run / len(train_dl):.4f} acc {acc:.3f} lr {sched.get_last_lr()[0]:.5f}")
