# fault: none
# family: rnn
# split: tune
"""Echo state network: a fixed random reservoir as buffers, only the read-out is trained."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Reservoir(nn.Module):
    def __init__(self, size=120, radius=0.9, leak=0.5):
        super().__init__()
        w = torch.randn(size, size) * (torch.rand(size, size) < 0.1)
        w = w * radius / torch.linalg.eigvals(w).abs().max()
        self.register_buffer("w", w)
        self.register_buffer("win", torch.rand(size, 1) * 2 - 1)
        self.leak = leak

    @torch.no_grad()
    def forward(self, u):
        s = torch.zeros(self.w.shape[0])
        out = []
        for v in u:
            s = (1 - self.leak) * s + self.leak * torch.tanh(self.w @ s + self.win[:, 0] * v)
            out.append(s)
        return torch.stack(out)


# Mackey-Glass
x = [1.2] * 18
for _ in range(2200):
    x.append(x[-1] + 0.2 * x[-18] / (1 + x[-18] ** 10) - 0.1 * x[-1])
x = torch.tensor(x[200:])
x = (x - x[:1500].mean()) / x[:1500].std()
states = Reservoir()(x[:-10])[100:]
target = x[110:, None]
mean, std = states[:1300].mean(0), states[:1300].std(0)
states = (states - mean) / std
readout = nn.Linear(120, 1)
opt = torch.optim.Adam(readout.parameters(), lr=1e-2, weight_decay=1e-6)
for epoch in range(40):
    s = 0
    for idx in torch.randperm(1300).split(50):
        loss = (readout(states[idx]) - target[idx]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 26
    if epoch % 6 == 3:
        with torch.no_grad():
            print(f"epoch {epoch} train {s:.5f} test {(readout(states[1300:]) - target[1300:]).pow(2).mean():.5f}")
