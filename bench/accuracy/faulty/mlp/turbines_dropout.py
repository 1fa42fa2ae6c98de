# fault: dropout-on-output
# cause_class: regularisation, structure
# family: mlp
# split: tune
# twin: healthy/twins/turbines_dropout.py
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class TurbineState(nn.Module):
    def __init__(self, sensors, states, width=96):
        super().__init__()
        self.inp = nn.Linear(sensors, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, states)
        self.act = nn.GELU()
        self.drop = nn.Dropout(0.35)

    def forward(self, x):
        for layer in (self.inp, self.mid, self.out):
            x = self.drop(layer(x if layer is self.inp else self.act(x)))
        return x


centres = torch.randn(6, 14) * 1.4
state = torch.randint(0, 6, (2400,))
readings = centres[state] + torch.randn(2400, 14)
train, valid = slice(0, 2000), slice(2000, None)

net = TurbineState(14, 6)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
crit = nn.CrossEntropyLoss()

for epoch in range(6):
    net.train()
    for idx in torch.randperm(2000).split(64):
        loss = crit(net(readings[train][idx]), state[train][idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        logits = net(readings[valid])
        acc = (logits.argmax(1) == state[valid]).float().mean().item()
        print(f"epoch {epoch}: train {loss.item():.3f} valid {crit(logits, state[valid]).item():.3f} acc {acc:.3f}")
