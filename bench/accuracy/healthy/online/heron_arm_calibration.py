# fault: none
# family: online
# split: held
"""Hand-eye correction of a robot arm, learnt online: one sample at a time, as they arrive."""
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
true_offset = torch.tensor([0.08, -0.12, 0.05])
links = torch.tensor([1.0, 0.8, 0.4])


def tip(q):
    a = torch.cumsum(q, -1)
    return torch.stack([(links * torch.cos(a)).sum(-1), (links * torch.sin(a)).sum(-1)], -1)


def measurement(n=1):
    q = (torch.rand(n, 3) - 0.5) * math.pi
    seen = tip(q + true_offset) + 0.06 * torch.sin(3 * q[:, :2]) + 0.01 * torch.randn(n, 2)
    return q, (seen - tip(q)) / 0.15


class Correction(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("omega", torch.tensor([1.0, 2.0, 3.0]))
        self.net = nn.Sequential(nn.Linear(18, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, q):
        phase = q.unsqueeze(-1) * self.omega
        return self.net(torch.cat([phase.sin(), phase.cos()], -1).flatten(1))


model = Correction()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
q_test, e_test = measurement(400)
average = None
for t in range(1, 1801):
    q, e = measurement()
    loss = nn.functional.huber_loss(model(q), e)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for group in optimizer.param_groups:
        group["lr"] = 0.02 / (1 + t / 1500)
    average = loss.item() if average is None else 0.99 * average + 0.01 * loss.item()
    if t % 300 == 0:
        with torch.no_grad():
            rms = (model(q_test) - e_test).square().mean().sqrt()
        print(f"sample {t} running {average:.4f} rms {rms.item():.3f} of {e_test.square().mean().sqrt().item():.3f}")
