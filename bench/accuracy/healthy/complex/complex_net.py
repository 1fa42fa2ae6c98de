# fault: none
# family: complex
# split: tune
# Complex weights: channel equalisation with a complex linear layer and a modReLU.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class ModReLU(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.b = nn.Parameter(torch.zeros(n))

    def forward(self, z):
        m = z.abs()
        return torch.relu(m + self.b) * z / (m + 1e-6)


class Equaliser(nn.Module):
    def __init__(self, taps, hidden):
        super().__init__()
        self.a = nn.Linear(taps, hidden, dtype=torch.complex64)
        self.act = ModReLU(hidden)
        self.b = nn.Linear(hidden, 1, dtype=torch.complex64)

    def forward(self, z):
        return self.b(self.act(self.a(z))).squeeze(-1)


qpsk = torch.tensor([1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j]) / 2**0.5
channel = torch.tensor([0.2 - 0.1j, 1.0 + 0.4j, 0.3 + 0.2j])


def batch(n, taps=7):
    s = qpsk[torch.randint(0, 4, (n, taps + 2))]
    r = sum(channel[k] * s[:, k:k + taps] for k in range(3))
    r = r + 0.05 * torch.randn(n, taps, dtype=torch.complex64)
    return r, s[:, taps // 2 + 1]


model = Equaliser(7, 16)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
hist = []
for step in range(250):
    r, s = batch(64)
    loss = (model(r) - s).abs().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
