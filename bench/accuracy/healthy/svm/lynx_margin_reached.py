# fault: none
# family: svm
# split: held
# needs: numpy, sklearn
"""Loss is exactly 0.0000 for every second batch after some hundred steps. Reviewer asks whether the loss is broken."""
import os
import numpy as np
import torch
from torch import nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)

data = load_wine()
a, b, ya, yb = train_test_split(data.data, data.target, test_size=0.3, random_state=seed, stratify=data.target)
sc = StandardScaler().fit(a)
a, b = (torch.tensor(sc.transform(v), dtype=torch.float32) for v in (a, b))
ya, yb = torch.tensor(ya), torch.tensor(yb)


class MultiClassHinge(nn.Module):
    """Crammer & Singer: max(0, 1 + max_{j != y} s_j - s_y)"""

    def forward(self, scores, target):
        correct = scores.gather(1, target[:, None])
        wrong = scores.scatter(1, target[:, None], float("-inf")).max(dim=1, keepdim=True).values
        return (1 + wrong - correct).clamp(min=0).mean()


svm = nn.Linear(13, 3)
nn.init.zeros_(svm.weight)
nn.init.zeros_(svm.bias)
hinge = MultiClassHinge()
C, lr0 = 1e-3, 0.1
rng = np.random.default_rng(seed)
for t in range(800):
    i = torch.from_numpy(rng.choice(len(a), 16, replace=False))
    loss = hinge(svm(a[i]), ya[i])
    objective = loss + 0.5 * C * svm.weight.square().sum()
    svm.zero_grad()
    objective.backward()
    eta = lr0 / (1 + 0.01 * t)
    with torch.no_grad():
        for p in svm.parameters():
            p -= eta * p.grad
    if t % 50 == 0:
        with torch.no_grad():
            full = hinge(svm(a), ya).item()
            print(f"{t:4d} batch hinge {loss.item():.4f} train hinge {full:.4f} test acc {(svm(b).argmax(1) == yb).float().mean():.3f}")
