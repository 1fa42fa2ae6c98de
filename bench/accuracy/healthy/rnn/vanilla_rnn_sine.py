# fault: none
# family: rnn
# split: tune
# Forecasting a noisy sine with nn.RNN and LSTMCell, summed over time, stateful loop.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.RNN(1, hidden, batch_first=True)
        self.cell = nn.LSTMCell(hidden, hidden)
        self.read = nn.Linear(hidden, 1)
        self.hidden = hidden

    def forward(self, x):
        feats, _ = self.rnn(x)
        h = c = x.new_zeros(len(x), self.hidden)
        preds = []
        for t in range(feats.shape[1]):
            h, c = self.cell(feats[:, t], (h, c))
            preds.append(self.read(h))
        return torch.stack(preds, 1)


t = torch.arange(21).float()
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.MSELoss(reduction="sum")
values = []
for step in range(150):
    phase, freq = torch.rand(32, 1) * 6.28, 0.3 + 0.4 * torch.rand(32, 1)
    wave = (torch.sin(freq * t + phase) + 0.05 * torch.randn(32, 21)).unsqueeze(-1)
    loss = criterion(model(wave[:, :-1]), wave[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 5.0)
    optimizer.step()
    values.append(loss.item())
print(f"loss first {values[0]:.3f} last {values[-1]:.3f}")
