# fault: none
# family: regression
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
x = torch.rand(2500, 2) * 2 - 1
s = 0.02 + 0.08 * torch.sigmoid(4 * x[:, 1:])
y = torch.sin(3 * x[:, :1]) + s * torch.randn(2500, 1)


class MeanScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mu, self.scale = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Normal(self.mu(h), nn.functional.softplus(self.scale(h)) + 1e-2)


net = MeanScale()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(20):
    tot = 0.0
    dl = DataLoader(TensorDataset(x[:2000], y[:2000]), 50, shuffle=True)
    for xb, yb in dl:
        loss = -net(xb).log_prob(yb).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        tot += loss.item()
    if epoch % 3 == 1:
        with torch.no_grad():
            v = -net(x[2000:]).log_prob(y[2000:]).mean()
        print(f"{epoch} nll {tot / 40:.4f} held out {v:.4f}")
