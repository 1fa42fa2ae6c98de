# fault: none
# family: multilabel
# split: tune
# A sigmoid in the model with BCELoss (the older way), several labels per row, evaluation by F1.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.EmbeddingBag(words, 24, mode="sum")
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(24, tags)

    def forward(self, w):
        return torch.sigmoid(self.out(self.drop(torch.tanh(self.embed(w)))))


WORDS, TAGS = 80, 8


def docs(n):
    w = torch.randint(0, WORDS, (n, 12))
    t = torch.stack([((w % 16) // 2 == k).any(1) for k in range(TAGS)], 1).float()
    return w, t


def f1(p, t):
    p = p > 0.5
    tp = (p & (t > 0.5)).sum()
    return (2 * tp / (p.sum() + t.sum())).item()


model, criterion = Tagger(WORDS, TAGS), nn.BCELoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
vw, vt = docs(300)
rec = []
for epoch in range(5):
    model.train()
    for _ in range(50):
        w, t = docs(40)
        opt.zero_grad()
        loss = criterion(model(w), t)
        loss.backward()
        opt.step()
        rec.append(loss.item())
    model.eval()
    with torch.no_grad():
        print(f"epoch {epoch} F1 {f1(model(vw), vt):.3f}")
print(f"loss first {rec[0]:.4f} last {rec[-1]:.4f}")
