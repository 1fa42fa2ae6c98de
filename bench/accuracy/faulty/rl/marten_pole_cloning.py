# fault: init-too-large
# cause_class: initialisation
# family: rl
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
K = torch.tensor([[1.0, 1.6, 6.0, 1.4], [0.4, -0.3, 0.9, 0.2]])


def expert(n):
    """States of a pole on a cart and the two forces a controller answers with."""
    s = torch.randn(n, 4)
    u = torch.tanh(s @ K.T / 3) + 0.3 * torch.sin(2 * s[:, :2])
    return s, u + 0.02 * torch.randn(n, 2)


class Policy(nn.Module):
    def __init__(self, widths=(128, 128, 128)):
        super().__init__()
        mods, i = [], 4
        for w in widths:
            mods += [nn.Linear(i, w), nn.ReLU()]
            i = w
        self.body = nn.Sequential(*mods)
        self.mean = nn.Linear(i, 2)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p)

    def forward(self, s):
        return self.mean(self.body(s))


policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
states, actions = expert(2400)
test_s, test_a = expert(600)
for epoch in range(10):
    run = 0.0
    for s, a in DataLoader(TensorDataset(states, actions), batch_size=60, shuffle=True):
        loss = nn.functional.mse_loss(policy(s), a)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        run += loss.item() / 40
    with torch.no_grad():
        print(f"epoch {epoch} imitation {run:.3f} test {nn.functional.mse_loss(policy(test_s), test_a).item():.3f} (variance {test_a.var():.3f})")
