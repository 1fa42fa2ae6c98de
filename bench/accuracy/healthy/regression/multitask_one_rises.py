# fault: none
# family: regression
# split: tune
# Two heads on one trunk; the auxiliary head starts almost solved and its loss rises while the main loss falls.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 12), nn.Tanh())
        self.main = nn.Linear(12, 1)
        self.aux = nn.Linear(12, 4)

    def forward(self, x):
        h = self.trunk(x)
        return self.main(h).squeeze(-1), self.aux(h)


x = torch.randn(1500, 8)
model = TwoHeads()
with torch.no_grad():
    aux_target = model(x)[1] + 0.02 * torch.randn(1500, 4)  # the trunk's first features carry it
main_target = 3 * torch.sin(x[:, 0]) + 2 * x[:, 1] * x[:, 2]
mse = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
first = None
for step in range(350):
    i = torch.randint(0, 1500, (64,))
    m, a = model(x[i])
    main_loss, aux_loss = mse(m, main_target[i]), mse(a, aux_target[i])
    loss = main_loss + 0.05 * aux_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    first = first or (loss.item(), main_loss.item(), aux_loss.item())
print(f"main {first[1]:.3f} to {main_loss.item():.3f}, aux {first[2]:.4f} to {aux_loss.item():.4f}")
print(f"loss first {first[0]:.4f} last {loss.item():.4f}")
