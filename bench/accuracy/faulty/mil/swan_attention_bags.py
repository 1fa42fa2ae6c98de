# fault: softmax-twice
# cause_class: output-activation, loss
# family: mil
# split: held
# attention-based multiple-instance learning: bags of patches, 20 tissue types
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

N_CLASSES, D = 20, 16
motifs = torch.randn(N_CLASSES, D) * 1.1


def bag():
    y = random.randrange(N_CLASSES)
    n = random.randint(5, 12)
    x = torch.randn(n, D)
    for i in random.sample(range(n), 3):
        x[i] += motifs[y]
    return x, y


class BaseMIL(nn.Module):
    """Sub-classes say how instances become a bag vector."""

    def __init__(self, d, h, classes):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.classifier = nn.Linear(h, classes)

    def pool(self, h, mask):
        raise NotImplementedError

    def forward(self, x, mask):
        z = self.pool(self.embed(x), mask)
        return F.softmax(self.classifier(z), dim=-1)

    def predict(self, x, mask):
        return self(x, mask).argmax(-1)


class GatedAttention(BaseMIL):
    def __init__(self, d, h, classes):
        super().__init__(d, h, classes)
        self.v, self.u, self.w = nn.Linear(h, 24), nn.Linear(h, 24), nn.Linear(24, 1)

    def pool(self, h, mask):
        a = self.w(torch.tanh(self.v(h)) * torch.sigmoid(self.u(h))).squeeze(-1)
        a = a.masked_fill(~mask, float("-inf")).softmax(-1)
        return torch.einsum("bn,bnh->bh", a, h)


def collate(bags):
    x = nn.utils.rnn.pad_sequence([b[0] for b in bags], batch_first=True)
    n = torch.tensor([len(b[0]) for b in bags])
    mask = torch.arange(x.shape[1])[None] < n[:, None]
    return x, mask, torch.tensor([b[1] for b in bags])


train = [bag() for _ in range(1500)]
test = collate([bag() for _ in range(300)])
model = GatedAttention(D, 48, N_CLASSES)
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(12):
    model.train()
    random.shuffle(train)
    total = 0.0
    for i in range(0, len(train), 30):
        x, m, y = collate(train[i:i + 30])
        loss = criterion(model(x, m), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 50
    model.eval()
    with torch.no_grad():
        acc = (model.predict(test[0], test[1]) == test[2]).float().mean()
    print(f"epoch {epoch:2d} loss {total:.4f} test accuracy {acc:.3f}")
