# fault: none
# family: language
# split: tune
import os

import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
names = "emma olivia ava isabella sophia charlotte mia amelia harper evelyn abigail emily".split() * 5
index = {c: i for i, c in enumerate(["."] + sorted(set("".join(names))))}
pairs = [(index[a], index[b]) for w in names for a, b in zip("." + w, w + ".")]
xs, ys = torch.tensor(pairs).T
n = len(index)

W = torch.randn(n, n, requires_grad=True)
optimizer = torch.optim.SGD([W], lr=10.0)
for i in range(200):
    counts = (F.one_hot(xs, n).float() @ W).exp()
    probs = counts / counts.sum(1, keepdim=True)
    loss = -probs[torch.arange(len(xs)), ys].log().mean() + 0.01 * (W**2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 50 == 0:
        print(i, loss.item())
