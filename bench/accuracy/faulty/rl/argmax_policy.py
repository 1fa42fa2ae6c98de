# fault: no-gradient
# cause_class: not-updated, structure
# family: rl
# split: tune
"""Gate network picks one of four experts."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 4)
        self.experts = nn.ModuleList(nn.Linear(6, 1) for _ in range(4))

    def forward(self, x):
        which = self.gate(x).argmax(1)
        all_out = torch.stack([e(x) for e in self.experts], 1)
        return all_out[torch.arange(len(x)), which]


x = torch.randn(1600, 6)
region = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()
slope = torch.randn(4, 6)
t = (slope[region] * x).sum(1, keepdim=True)
model = Mixture()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    for b in torch.randperm(1600).split(40):
        loss = nn.functional.mse_loss(model(x[b]), t[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
