# fault: none
# family: rnn
# split: tune
"""The adding problem: a GRU must find two marked numbers and add them. The loss stays at the variance for a while."""
import argparse
import os
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=450)
parser.add_argument("--length", type=int, default=12)
parser.add_argument("--hidden", type=int, default=32)
parser.add_argument("--lr", type=float, default=4e-3)
args = parser.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", 0)))


def sample(n):
    v = torch.rand(n, args.length)
    m = torch.zeros(n, args.length)
    half = args.length // 2
    m.scatter_(1, torch.randint(0, half, (n, 1)), 1.0)
    m.scatter_(1, torch.randint(half, args.length, (n, 1)), 1.0)
    return torch.stack([v, m], 2), (v * m).sum(1, keepdim=True)


class Adder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1])


model = Adder(args.hidden)
opt = torch.optim.Adam(model.parameters(), lr=args.lr)
xv, yv = sample(400)
for step in range(1, args.steps + 1):
    x, y = sample(64)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            print(step, f"train {loss.item():.4f} test {nn.functional.mse_loss(model(xv), yv).item():.4f}")
