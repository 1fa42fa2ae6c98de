# fault: none
# family: mlp
# split: tune
# Linear warm-up from 0 and linear decay to exactly 0, as fine-tuning scripts do; scheduler chained by SequentialLR.
import os

import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR, SequentialLR

torch.manual_seed(int(os.environ.get("SEED", "0")))

STEPS = 300
x = torch.randint(0, 40, (2000, 6))
value = torch.randn(40)
y = (value[x].sum(1) > 0).long()


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 16)
        self.mlp = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x):
        return self.mlp(self.emb(x).mean(1))


model = Bag()
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
sched = SequentialLR(
    opt,
    [LinearLR(opt, 1e-6, 1.0, total_iters=30), LinearLR(opt, 1.0, 0.0, total_iters=STEPS - 30)],
    milestones=[30],
)
ce, rec = nn.CrossEntropyLoss(), []
for step in range(STEPS):
    i = torch.randint(0, 2000, (64,))
    loss = ce(model(x[i]), y[i])
    loss.backward()
    opt.step()
    sched.step()
    opt.zero_grad()
    rec.append(loss.item())
print("last lr", opt.param_groups[0]["lr"])
print(f"loss first {rec[0]:.4f} last {sum(rec[-10:]) / 10:.4f}")
