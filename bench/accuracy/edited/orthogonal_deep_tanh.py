# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.12
# reaches: 0.85
# Unusual: 20 plain tanh layers without normalisation or skips; orthogonal weights make it trainable; SGD without momentum, gradients clipped
import os
import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 8.0 - 1.0, dtype=torch.float32)
y = torch.tensor(y)
tr, te = train_test_split(torch.arange(len(y)), test_size=0.25, random_state=SEED)

DEPTH, WIDTH = 20, 64
layers = []
for _ in range(DEPTH):
    lin = nn.Linear(WIDTH, WIDTH)
    nn.init.orthogonal_(lin.weight, gain=1.0)
    nn.init.zeros_(lin.bias)
    layers += [lin, nn.Tanh()]
net = nn.Sequential(*layers, nn.Linear(WIDTH, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.02)
for epoch in range(16):
    total = 0.0
    for idx in tr[torch.randperm(len(tr))].split(32):
        loss = nn.functional.cross_entropy(net(X[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        total += loss.item() * len(idx)
    if epoch % 4 == 0:
        print(f"epoch {epoch} loss {total / len(tr):.4f}")
with torch.no_grad():
    acc = (net(X[te]).argmax(1) == y[te]).float().mean().item()
print(f"result: accuracy {acc:.4f}")
