# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: multilabel
# split: tune
"""Genres of a film from a bag of plot words (synthetic)."""
import os
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

GENRES, WORDS = 8, 120


class Plots(Dataset):
    def __init__(self, n, generator, affinity):
        self.labels = (torch.rand(n, GENRES, generator=generator) < 0.2).float()
        rate = 0.05 + self.labels @ affinity
        self.counts = torch.poisson(rate, generator=generator)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.log1p(self.counts[i]), self.labels[i]


class GenreTagger(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.hidden = nn.Linear(WORDS, hidden)
        self.act = nn.ReLU()
        self.out = nn.Linear(hidden, GENRES)

    def forward(self, x):
        return torch.sigmoid(self.out(self.act(self.hidden(x))))


class Engine:
    def __init__(self, model, lr=2e-3):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
        self.criterion = nn.BCEWithLogitsLoss()

    def train_epoch(self, loader):
        self.model.train()
        total = 0
        for x, y in loader:
            loss = self.criterion(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        tp = fp = fn = 0.0
        loss = 0
        for x, y in loader:
            out = self.model(x)
            loss += self.criterion(out, y).item()
            pred = out > 0.5
            tp += (pred * y).sum().item()
            fp += (pred * (1 - y)).sum().item()
            fn += (~pred * y).sum().item()
        return loss / len(loader), 2 * tp / max(2 * tp + fp + fn, 1)


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    affinity = torch.where(torch.rand(GENRES, WORDS, generator=g) < 0.12, 0.8, 0.0)
    train = DataLoader(Plots(1500, g, affinity), batch_size=50, shuffle=True)
    test = DataLoader(Plots(300, g, affinity), batch_size=300)
    engine = Engine(GenreTagger())
    for epoch in range(10):
        tl = engine.train_epoch(train)
        vl, f1 = engine.evaluate(test)
        print(f"{epoch}: train {tl:.4f} test {vl:.4f} f1 {f1:.3f}")
