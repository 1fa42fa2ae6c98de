# fault: none
# family: finetuning
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.21
# reaches: 0.88
# Unusual: pre-trains on digits 0-4, saves and loads the weights, then trains only a new head on 15 examples per class of digits 5-9; convolutions frozen in eval mode
import os
import tempfile

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)
digits = load_digits()
images = torch.tensor(digits.images / 16.0, dtype=torch.float32)[:, None]
labels = torch.tensor(digits.target)


def backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(),
    )


# ---- stage 1: source classes
src = (labels < 5).nonzero().squeeze(1)
net = nn.Sequential(backbone(), nn.Linear(32 * 16, 5))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(6):
    for idx in src[torch.randperm(len(src))].split(32):
        loss = nn.functional.cross_entropy(net(images[idx]), labels[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"pretrain epoch {epoch} loss {loss.item():.4f}")
path = os.path.join(tempfile.mkdtemp(), "backbone.pt")
torch.save(net[0].state_dict(), path)

# ---- stage 2: new classes, few examples
features = backbone()
features.load_state_dict(torch.load(path))
os.remove(path)
for p in features.parameters():
    p.requires_grad = False
features.eval()
tgt = (labels >= 5).nonzero().squeeze(1).numpy()
train_idx = np.concatenate([rng.permutation(tgt[labels[tgt].numpy() == c])[:15] for c in range(5, 10)])
test_idx = np.setdiff1d(tgt, train_idx)
x_train, y_train = images[train_idx], labels[train_idx] - 5
x_test, y_test = images[test_idx], labels[test_idx] - 5
head = nn.Linear(32 * 16, 5)
nn.init.zeros_(head.weight)
nn.init.zeros_(head.bias)
opt = torch.optim.SGD(head.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-2)
for step in range(120):
    idx = torch.randint(0, len(x_train), (25,))
    loss = nn.functional.cross_entropy(head(features(x_train[idx])), y_train[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(f"head step {step} loss {loss.item():.4f}")
with torch.no_grad():
    acc = (head(features(x_test)).argmax(1) == y_test).float().mean().item()
print(f"result: accuracy {acc:.4f}")
