# fault: labels-outside-range
# cause_class: labels, loss
# family: mlp
# split: tune
# needs: numpy
import io
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def questionnaire(n=1800):
    """Ten answers on a Likert scale; satisfied is coded 1 (no) or 2 (yes) as in the codebook."""
    a = rng.integers(1, 6, size=(n, 10))
    s = (a[:, 0] - 3) * (a[:, 1] - 3) + 1.5 * (a[:, 2] - 3) - (a[:, 3] - 3) + rng.normal(size=n)
    col = np.where(s > 1.5, 2, 1)
    buf = io.StringIO()
    np.savetxt(buf, np.column_stack([a, col]), fmt="%d", delimiter=",")
    buf.seek(0)
    return buf


class FocalLoss(nn.Module):
    def __init__(self, gamma=1.0, alpha=None):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logit, target):
        bce = F.binary_cross_entropy_with_logits(logit, target, reduction="none")
        p = torch.sigmoid(logit).detach()
        weight = (p * (1 - target) + (1 - p) * target).abs() ** self.gamma
        return (weight * bce).mean()


table = np.loadtxt(questionnaire(), delimiter=",", dtype=np.float32)
x = torch.from_numpy((table[:, :-1] - 3) / 1.4)
y = torch.from_numpy(table[:, -1])
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
crit = FocalLoss()
tr, te = slice(0, 1500), slice(1500, None)
for ep in range(8):
    order = torch.randperm(1500)
    for b in order.split(30):
        loss = crit(net(x[tr][b]).squeeze(1), y[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(x[te]).squeeze(1)
        print(f"epoch {ep} loss {loss.item():.3f} val {crit(out, y[te]).item():.3f} yes-rate {(out > 0).float().mean().item():.3f} of {(y[te] == 2).float().mean().item():.3f}")
