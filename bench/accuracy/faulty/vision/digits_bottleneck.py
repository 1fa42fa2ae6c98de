# fault: frozen-by-mistake
# cause_class: not-updated
# family: vision
# split: tune
# needs: sklearn
"""Pretrain on digits 0-4, then adapt to 5-9 with a new neck and head; the old stem stays as it is."""
import os
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
raw = load_digits()
X = torch.tensor(raw.images, dtype=torch.float32).unsqueeze(1) / 8 - 1
Y = torch.tensor(raw.target)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.neck = nn.Sequential(nn.Flatten(), nn.Linear(256, 4), nn.Tanh())
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        return self.head(self.neck(self.stem(x)))


def freeze(model, keep=("head",)):
    for name, p in model.named_parameters():
        p.requires_grad = name.split(".")[0] in keep


def fit(model, x, y, epochs, lr):
    order = torch.randperm(len(x))
    tr, te = order[:-150], order[-150:]
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=lr)
    for epoch in range(epochs):
        model.train()
        s = 0
        for idx in tr[torch.randperm(len(tr))].split(32):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
            loss.backward()
            opt.step()
            s += loss.item() * len(idx)
        model.eval()
        with torch.no_grad():
            acc = (model(x[te]).argmax(1) == y[te]).float().mean()
        print(f"epoch {epoch}: loss {s / len(tr):.4f} acc {acc:.3f}")


model = Net()
low = Y < 5
print("source task")
fit(model, X[low], Y[low], 6, 3e-3)
print("target task")
model.neck = nn.Sequential(nn.Flatten(), nn.Linear(256, 4), nn.Tanh())
model.head = nn.Linear(4, 5)
freeze(model)
fit(model, X[~low], Y[~low] - 5, 10, 3e-3)
