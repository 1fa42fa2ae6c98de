# fault: not-shuffled
# cause_class: data-loading
# family: tabular
# split: tune
import os

import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine

torch.manual_seed(int(os.environ.get("SEED", "0")))

wine = load_wine()  # three cultivars
x = torch.tensor(wine.data, dtype=torch.float32)
y = torch.tensor(wine.target)
x = (x - x.mean(0)) / x.std(0)

w1 = torch.nn.Linear(13, 24)
w2 = torch.nn.Linear(24, 3)
model = torch.nn.Sequential(w1, torch.nn.Tanh(), w2)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

for epoch in range(20):
    hits = 0
    for xb, yb in zip(x.split(16), y.split(16)):
        out = model(xb)
        loss = F.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (out.argmax(1) == yb).sum().item()
    print(f"epoch {epoch} last loss {loss.item():.3f} accuracy {hits / len(y):.3f}")
