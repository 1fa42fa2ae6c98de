# fault: none
# family: rnn
# split: tune
"""Next-value prediction on sensor logs with gaps: missing readings are left out of the loss."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, T = 1280, 20
phase = 6.28 * torch.rand(N, 1)
sig = torch.sin(phase + 0.4 * torch.arange(T + 1.0)) + 0.05 * torch.randn(N, T + 1)
seen = torch.rand(N, T + 1) < 0.7
seen[700:720] = False  # the logger was down that day


class Imputer(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 24, batch_first=True)
        self.lin = nn.Linear(24, 1)

    def forward(self, x):
        return self.lin(self.rnn(x)[0]).squeeze(-1)


model = Imputer()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for i in range(0, N, 20):
        s, m = sig[i:i + 20], seen[i:i + 20].float()
        x = torch.stack([s * m, m], -1)[:, :-1]
        err = (model(x) - s[:, 1:]) ** 2 * m[:, 1:]
        loss = err.sum() / m[:, 1:].sum().clamp(min=1)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
