# fault: none
# family: survival
# split: held
# set: heron, unseen
# metric: concordance higher
# baseline: 0.5
# reaches: 0.68
# Unusual: Cox partial likelihood on full batches for 60 steps with half of the rows censored; the loss falls by a few per cent only because its level is the log of the risk-set size
import os

import torch

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


def cohort(n):
    x = torch.randn(n, 10)
    risk = 0.9 * x[:, 0] - 0.7 * x[:, 1] + 0.6 * x[:, 2] * x[:, 3]
    time = torch.distributions.Exponential(torch.exp(risk)).sample()
    censor = torch.distributions.Exponential(torch.ones(n)).sample()
    return x, torch.minimum(time, censor), (time <= censor).float()


def cox_loss(score, time, event):
    order = time.argsort(descending=True)
    s, e = score[order], event[order]
    return ((torch.logcumsumexp(s, 0) - s) * e).sum() / e.sum()


def concordance(score, time, event):
    earlier = (time[:, None] < time[None]) & (event[:, None] > 0)
    return ((score[:, None] > score[None]) & earlier).sum().item() / earlier.sum().item()


x, time, event = cohort(1500)
xt, tt, et = cohort(600)
net = torch.nn.Sequential(torch.nn.Linear(10, 64), torch.nn.SiLU(), torch.nn.Linear(64, 1, bias=False))
opt = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=1e-2)
for step in range(60):
    loss = cox_loss(net(x)[:, 0], time, event)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        with torch.no_grad():
            print(f"step {step} partial likelihood loss {loss.item():.4f} held-out concordance {concordance(net(xt)[:, 0], tt, et):.4f}")
with torch.no_grad():
    print(f"result: concordance {concordance(net(xt)[:, 0], tt, et):.4f}")
