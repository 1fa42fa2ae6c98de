# fault: none
# family: regression
# split: tune
import os, torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

# household energy use in kWh per day, roughly 5 .. 40
occupants = torch.randint(1, 6, (1000,)).float()
area = 40 + 120 * torch.rand(1000)
outside = torch.randn(1000)
kwh = 3 + 2.2 * occupants + 0.12 * area - 2 * outside + torch.randn(1000)
feats = torch.stack([(occupants - 3) / 1.4, (area - 100) / 35, outside], 1)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(3, 32)
        self.l2 = nn.Linear(32, 1)
    def forward(self, x):
        x = torch.tanh(self.l1(x))
        return self.l2(x).squeeze(-1)

m = Model()
opt = torch.optim.Adam(m.parameters(), lr=0.05)
for ep in range(15):
    for s in torch.randperm(1000).split(50):
        opt.zero_grad()
        loss = nn.functional.smooth_l1_loss(m(feats[s]), kwh[s])
        loss.backward()
        opt.step()
    print("ep", ep, "loss", loss.item())
