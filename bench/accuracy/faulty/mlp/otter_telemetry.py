# fault: running-statistics
# cause_class: eval-mode, structure
# family: mlp
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
CONFIG = {"layers": [9, 48, 48, 3], "bn_decay": 0.999, "bn_eps": 1e-5, "lr": 2e-3, "steps": 250, "batch": 64}


class Dense(nn.Module):
    def __init__(self, i, o, decay, eps):
        super().__init__()
        self.lin = nn.Linear(i, o)
        self.bn = nn.BatchNorm1d(o, eps=eps, momentum=1 - decay)

    def forward(self, x):
        return torch.relu(self.bn(self.lin(x)))


def build(c):
    *hidden, out = c["layers"]
    net = [Dense(i, o, c["bn_decay"], c["bn_eps"]) for i, o in zip(hidden, hidden[1:])]
    return nn.Sequential(*net, nn.Linear(hidden[-1], out))


mix = torch.randn(9, 9) / 3
offset = 2.5 * torch.randn(9)


def telemetry(n):
    state = torch.randint(0, 3, (n,))
    x = 0.3 * torch.randn(n, 9) @ mix + offset
    x[:, 0] += 0.5 * (state == 1)
    x[:, 1] -= 0.5 * (state == 2)
    return x, state


net = build(CONFIG)
opt = torch.optim.Adam(net.parameters(), lr=CONFIG["lr"])
held_x, held_y = telemetry(600)
for step in range(1, CONFIG["steps"] + 1):
    net.train()
    x, y = telemetry(CONFIG["batch"])
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        net.eval()
        with torch.inference_mode():
            out = net(held_x)
        vloss = nn.functional.cross_entropy(out, held_y).item()
        print(f"{step:4d} train {loss.item():.4f} | held-out {vloss:.4f} acc {(out.argmax(1) == held_y).float().mean():.3f}")
