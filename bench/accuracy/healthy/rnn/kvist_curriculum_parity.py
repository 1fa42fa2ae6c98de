# fault: none
# family: rnn
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Parity(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.rnn = nn.GRU(1, h, batch_first=True)
        self.out = nn.Linear(h, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).squeeze(-1)


def batch(n, length):
    bits = torch.randint(0, 2, (n, length)).float()
    return (bits * 2 - 1).unsqueeze(-1), bits.cumsum(1) % 2


model = Parity()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 800, eta_min=1e-4)
length = 2
for step in range(1, 801):
    x, y = batch(64, length)
    logit = model(x)
    loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if loss.item() < 0.05 and length < 16:
        length += 1
    if step % 80 == 0:
        print(f"{step} length {length} loss {loss.item():.4f} acc {((logit > 0).float() == y).float().mean().item():.3f}")
with torch.no_grad():
    x, y = batch(500, 16)
    print("acc at length 16", ((model(x) > 0).float() == y).float().mean().item())
