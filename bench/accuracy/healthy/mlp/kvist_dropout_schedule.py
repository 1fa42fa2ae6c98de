# fault: none
# family: mlp
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class DropoutRamp:
    """Dropout that is 0.5 at the beginning and goes to 0.05."""

    def __init__(self, model, start, end, epochs):
        self.mods = [m for m in model.modules() if isinstance(m, nn.Dropout)]
        self.start, self.end, self.n = start, end, epochs

    def set(self, epoch):
        p = self.start + (self.end - self.start) * epoch / max(1, self.n - 1)
        for m in self.mods:
            m.p = p
        return p


centres = torch.randn(6, 16) * 1.1
y = torch.randint(0, 6, (1900,))
x = centres[y] + torch.randn(1900, 16)
net = nn.Sequential(nn.Linear(16, 96), nn.ReLU(), nn.Dropout(), nn.Linear(96, 96), nn.ReLU(), nn.Dropout(), nn.Linear(96, 6))
opt = torch.optim.Adam(net.parameters(), lr=1.5e-3)
EPOCHS = 8
ramp = DropoutRamp(net, 0.5, 0.05, EPOCHS)
for e in range(EPOCHS):
    p = ramp.set(e)
    net.train()
    s = 0.0
    for b in torch.randperm(1500).split(30):
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 50
    net.eval()
    with torch.no_grad():
        o = net(x[1500:])
        print(f"epoch {e} p {p:.3f} train {s:.4f} val {nn.functional.cross_entropy(o, y[1500:]).item():.4f} acc {(o.argmax(1) == y[1500:]).float().mean().item():.3f}")
