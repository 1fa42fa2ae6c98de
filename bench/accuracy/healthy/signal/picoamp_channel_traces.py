# fault: none
# family: signal
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.25
# reaches: 0.85
# Patch-clamp snippets in ampere (1e-12 and below), four channel types told apart by their gating.
import os
import math
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", "0"))
random.seed(seed)
torch.manual_seed(seed)

PA = 1e-12
#            open prob. switch rates        amplitude
CHANNELS = [dict(p_open=0.04, p_close=0.20, amp=2.0), dict(p_open=0.20, p_close=0.04, amp=2.0),
            dict(p_open=0.40, p_close=0.40, amp=2.0), dict(p_open=0.03, p_close=0.03, amp=2.0)]
T = 160


def record(n):
    label = torch.randint(4, (n,))
    po = torch.tensor([c["p_open"] for c in CHANNELS])[label]
    pc = torch.tensor([c["p_close"] for c in CHANNELS])[label]
    state = (torch.rand(n) < po / (po + pc)).float()
    out = []
    for _ in range(T):
        u = torch.rand(n)
        flip = torch.where(state > 0, u < pc, u < po)
        state = torch.where(flip, 1 - state, state)
        out.append(state)
    clean = torch.stack(out, 1) * 2.0
    gain = torch.exp(0.2 * torch.randn(n, 1))
    drift = 0.3 * torch.randn(n, 1) + 0.3 * torch.sin(torch.linspace(0, math.pi, T)[None] + 6 * torch.rand(n, 1))
    return (clean * gain + drift + 0.5 * torch.randn(n, T)) * PA, label


class TraceNet(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.c1 = nn.Conv1d(1, ch, 7, stride=2, padding=3)
        self.c2 = nn.Conv1d(ch, ch, 5, stride=2, padding=2)
        self.c3 = nn.Conv1d(ch, ch, 5, padding=2)
        self.out = nn.Linear(2 * ch, 4)

    def forward(self, amps):
        x = (amps / PA).unsqueeze(1)
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.c3(x))
        return self.out(torch.cat([x.mean(-1), x.amax(-1)], 1))


train_x, train_y = record(2000)
test_x, test_y = record(800)
print("current std in A:", train_x.std().item())

model = TraceNet()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
step = 0
for epoch in range(12):
    order = torch.randperm(len(train_x))
    for i in range(0, len(order), 50):
        idx = order[i:i + 50]
        loss = F.cross_entropy(model(train_x[idx]), train_y[idx])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        step += 1
    print("step", step, "loss %.3f" % loss.item())

model.eval()
with torch.inference_mode():
    acc = (model(test_x).argmax(1) == test_y).float().mean().item()
major = train_y.bincount().argmax()
print("majority", (test_y == major).float().mean().item())
print(f"result: accuracy {acc:.4f}")
