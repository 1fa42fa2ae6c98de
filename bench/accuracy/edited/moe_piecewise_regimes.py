# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: r2 higher
# baseline: 0.0
# reaches: 0.8
# Unusual: top-1 mixture of experts with noisy gate and balance loss; experts see gradient only for their share of the batch
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
REGIMES, DIM = 4, 6
proto = torch.randn(REGIMES, DIM) * 1.2
slope = torch.randn(REGIMES, DIM)


def sample(n):
    r = torch.randint(0, REGIMES, (n,))
    x = proto[r] + 0.6 * torch.randn(n, DIM)
    y = (x * slope[r]).sum(1) + 0.5 * torch.sin(3 * x[:, 0]) + 0.1 * torch.randn(n)
    return x, y


class MoE(nn.Module):
    def __init__(self, experts=4, h=24):
        super().__init__()
        self.gate = nn.Linear(DIM, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(DIM, h), nn.SiLU(), nn.Linear(h, 1)) for _ in range(experts))

    def forward(self, x):
        logits = self.gate(x)
        prob = logits.softmax(1)
        if self.training:
            logits = logits + 0.3 * torch.randn_like(logits)
        pick = logits.argmax(1)
        out = torch.zeros(len(x))
        for e, expert in enumerate(self.experts):
            rows = (pick == e).nonzero().squeeze(1)
            if len(rows):
                out = out.index_add(0, rows, expert(x[rows]).squeeze(1) * prob[rows, e])
        share = F.one_hot(pick, len(self.experts)).float().mean(0)
        balance = len(self.experts) * (share * prob.mean(0)).sum()
        return out, balance, share


x_train, y_train = sample(4000)
x_test, y_test = sample(1000)
mean, std = y_train.mean(), y_train.std()
model = MoE()
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
for step in range(900):
    idx = torch.randint(0, len(x_train), (128,))
    pred, balance, share = model(x_train[idx])
    task = F.mse_loss(pred, (y_train[idx] - mean) / std)
    loss = task + 0.02 * balance
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step} task {task.item():.4f} balance {balance.item():.3f} shares {[round(s, 2) for s in share.tolist()]}")
model.eval()
with torch.no_grad():
    pred, _, _ = model(x_test)
    r2 = 1 - F.mse_loss(pred * std + mean, y_test) / y_test.var()
print(f"result: r2 {r2.item():.4f}")
