# fault: none
# family: timeseries
# split: tune
"""Next-step forecast of a long series with truncated backpropagation; the state is carried over and detached."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
STREAMS, LONG, CHUNK = 16, 600, 20
t = torch.arange(LONG + 1).float()
phase = torch.rand(STREAMS, 1) * 6.28
series = torch.sin(t / 7 + phase) * torch.sin(t / 23 + 2 * phase) + 0.05 * torch.randn(STREAMS, LONG + 1)
train, test = series[:12], series[12:]


class Forecaster(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.lstm = nn.LSTM(1, h, batch_first=True)
        self.out = nn.Linear(h, 1)

    def forward(self, x, state=None):
        y, state = self.lstm(x[..., None], state)
        return self.out(y).squeeze(-1), state


model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(8):
    state, total = None, 0.0
    for start in range(0, LONG, CHUNK):
        x, y = train[:, start:start + CHUNK], train[:, start + 1:start + CHUNK + 1]
        pred, state = model(x, state)
        loss = (pred - y).square().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        state = tuple(s.detach() for s in state)
        total += loss.item()
    with torch.no_grad():
        pred, _ = model(test[:, :-1])
        v = (pred - test[:, 1:]).square().mean()
    print(f"epoch {epoch} train mse {total / (LONG / CHUNK):.4f} test mse {v:.4f} (variance {test.var():.3f})")
